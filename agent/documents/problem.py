"""Problems of a document that a person wrote: where, what, and how to fix it."""

import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

# Categories of Unicode that can move the cursor, reorder text or be invisible on a terminal.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_WIDEST_LINE = 160
_LEAD = 60
_LONGEST_QUOTE = 80
_SHORTEST_BEGINNING = 3


class Severity(StrEnum):
    """A document with an error cannot be used. A warning: it works, but possibly not as intended."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault or finding.

    ``code`` is stable and kebab-case; the wording of ``message`` is not. ``line`` and ``column`` count from 1,
    in characters; both are 0 where ``file`` is no file but a variable. ``length`` is how many characters of the line
    are meant. ``path`` is like ``categories[0].rules[1].onExitCodes``, empty for the whole document. ``excerpt`` is the
    source line as it is: ``render`` makes it safe for a terminal.
    """

    code: str
    file: str
    line: int
    column: int
    path: str = ""
    message: str
    hint: str = ""
    excerpt: str = ""
    length: int = 1
    severity: Severity = Severity.ERROR


class ManifestError(ValueError):
    """A document cannot be used. ``problems`` has all its faults, in the order of the text."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(render(problem) for problem in self.problems))


def errors_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the errors, without the warnings."""
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems in the order of the text, variables first; of equal code, path and position only one."""
    once = {(problem.line, problem.column, problem.file, problem.code, problem.path): problem for problem in problems}
    return tuple(once[key] for key in sorted(once))


def render(problem: Problem) -> str:
    """Return the problem as lines for people: the place, the source line with a caret, and help.

    Text from the document is escaped, so that it can do nothing to a terminal.
    """
    shown = [_headline(problem)]
    if problem.excerpt:
        shown += _excerpt(problem)
    if problem.hint:
        margin = " " * len(str(problem.line))
        shown.append(f"  {margin} = help: {escape(problem.hint)}")
    return "\n".join(shown)


def escape(text: str) -> str:
    r"""Return the text with every control, format and surrogate character written as ``\x1b`` or ``\u202e``."""
    return "".join(_escaped(character) for character in text)


def quote(text: str) -> str:
    """Return the text in backquotes, shortened to what fits in a sentence, with ``...`` where it was."""
    return f"`{text}`" if len(text) <= _LONGEST_QUOTE else f"`{text[:_LONGEST_QUOTE]}...`"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean `x`?`` for the known word closest to this one, else an empty text."""
    found = closest(word, known)
    return "" if found is None else f"did you mean `{found}`?"


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word closest to this one, or that begins with it; ``None`` if none is close."""
    # Cut, because difflib takes quadratic time and the word comes from the document.
    folded = word[:_WIDEST_LINE].casefold()
    by_folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(folded, by_folded, n=1, cutoff=0.6)
    if not close and len(folded) >= _SHORTEST_BEGINNING:
        close = [name for name in by_folded if name.startswith(folded)]
    return by_folded[close[0]] if close else None


def nearest_or_all(word: str, known: Sequence[str]) -> str:
    """Return the nearest known word as a question, else all of them."""
    return nearest(word, known) or f"known: {', '.join(known)}"


def _headline(problem: Problem) -> str:
    parts = [f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file]
    if problem.severity is Severity.WARNING:
        parts.append("warning")
    if problem.path:
        parts.append(problem.path)
    return escape(": ".join([*parts, f"{problem.message} [{problem.code}]"]))


def _excerpt(problem: Problem) -> list[str]:
    number = str(problem.line)
    start = max(0, problem.column - 1 - _LEAD) if len(problem.excerpt) > _WIDEST_LINE else 0
    window = problem.excerpt[start : start + _WIDEST_LINE]
    at = problem.column - 1 - start
    before, meant = window[:at], window[at : at + max(1, problem.length)]
    caret = " " * _width(escape(before)) + "^" * max(1, _width(escape(meant)))
    left = "..." if start else ""
    right = "..." if start + _WIDEST_LINE < len(problem.excerpt) else ""
    shown = f"{left}{escape(window).rstrip()}{right}"
    return [f" {number} | {shown}", f" {' ' * len(number)} | {' ' * len(left)}{caret}"]


def _escaped(character: str) -> str:
    if character == "\t":
        return " "
    if character.isprintable() or unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    if code <= 0xFF:  # noqa: PLR2004 - the last code that \x can write
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - as above, for \u


def _width(text: str) -> int:
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
