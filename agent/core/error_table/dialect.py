r"""Where RE2 and Python's ``re`` interpret a pattern differently that both accept."""

import functools
import re
from dataclasses import dataclass

_COUNT = r"\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}"
_CLASS = r"\[\^?+\]?+(?:\\.|[^\]\\])*\]"
_PIECE = rf"\\N\{{[^}}]*\}}|\\.|\(\?#(?:\\.|[^)\\])*\)|{_COUNT}|{_CLASS}|."
_TOKENS = re.compile(_PIECE, re.DOTALL)
"""An escape, a comment, a count, a class, or any other character."""

_TOKENS_OF_VERBOSE = re.compile(rf"#(?:\\.|[^\n\\])*|{_PIECE}", re.DOTALL)
_VERBOSE = re.compile(r"(?:\(\?[a-zA-Z]+\))*\(\?[a-zA-Z]*x[a-zA-Z]*\)")

_VERBOSE_IN_PART = re.compile(r"\(\?[a-zA-Z-]*x[a-zA-Z-]*:")
_KNOWS_UNICODE = re.compile(r"(?<!\\)(?:\\\\)*\\[wWdDsSbB]")
_FLAGS = re.compile(r"\(\?([a-zA-Z]+)")
_IN_CLASS = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.DOTALL)
"""The parts of a character class: a character or an escape, possibly the start of a range."""

_MARKS_OF_SETS = frozenset("[]-&~|")
_SPACES_OF_PYTHON = re.compile("[\v\x1c-\x1f]")
_FOR_REGEX = {r"\B": r"(?:\B(?!\A\Z))", "{": r"\{"}
_KEPT = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    r"""What RE2 may interpret differently from Python in a pattern, depending on the message.

    ``classes``: ``\w``, ``\d``, ``\s`` and ``\b`` know only ASCII. ``folds``: upper and lower case of non-ASCII
    characters differ, ``always`` if the pattern itself has such characters. ``ends``: a ``$`` also matches before the
    last line end.
    """

    classes: bool = False
    folds: bool = False
    always: bool = False
    ends: bool = False

    def about(self, message: str) -> bool:
        """Whether they may differ for this message."""
        if self.always or (self.ends and message.endswith("\n")):
            return True
        if message.isascii():
            return self.classes and (not message or _SPACES_OF_PYTHON.search(message) is not None)
        return self.classes or self.folds or not _is_text(message)


ALIKE = Differences()


def differences(pattern: str) -> Differences:
    """Find what RE2 may interpret differently in a Python pattern."""
    folds = "i" in _flags(pattern)
    return Differences(
        classes=_KNOWS_UNICODE.search(pattern) is not None,
        folds=folds,
        always=folds and not pattern.isascii(),
        ends="$" in _tokens(for_re2(pattern)),
    )


def for_re2(pattern: str) -> str:
    """The pattern, with a ``$`` at its very end that also matches before a last line end, as in Python."""
    *before, last = _tokens(spelled_out(pattern)) or [""]
    said = "".join(before)
    return rf"{said}\n?\z" if last == "$" and "m" not in _flags(pattern) else f"{said}{last}"


def for_backtracking(pattern: str) -> str:
    r"""The pattern for the ``regex`` package, with the dot matching line ends.

    In Python ``\B`` does not match an empty text, and a brace that begins no count is literal; ``regex`` has
    ``{e<=1}``.
    """
    return "(?s)" + "".join(_FOR_REGEX.get(token, token) for token in _tokens(spelled_out(pattern)))


def spelled_out(pattern: str) -> str:
    """The pattern with empty comments, and with brackets and set operators of other dialects escaped in classes.

    In Python ``[[:alpha:]]`` is a class and a bracket, and an escaped character does not end a comment. Comments in a
    single verbose group cannot be recognised: such patterns are not changed.
    """
    if _is_verbose_in_part(pattern):
        return pattern
    return "".join(_plain(token) for token in _tokens(pattern))


def has_count_without_least(pattern: str) -> bool:
    """Whether it has a count like ``{,3}``, which RE2 treats as literal text."""
    return any(token.startswith("{,") for token in _tokens(pattern))


@functools.lru_cache(maxsize=_KEPT)
def python_fault(pattern: str) -> str:
    """Return why Python refuses the pattern; an empty text if it accepts it."""
    if "[" in _tokens(pattern) and not _is_verbose_in_part(pattern):
        return "unterminated character set"
    spelled = spelled_out(pattern)
    try:
        re.compile(spelled, re.DOTALL)
    except re.error as error:
        return str(error) if spelled == pattern else error.msg
    except (OverflowError, RecursionError) as error:
        return str(error) or "nested too deep"
    return ""


def _tokens(pattern: str) -> list[str]:
    return (_TOKENS_OF_VERBOSE if _VERBOSE.match(pattern) else _TOKENS).findall(pattern)


def _is_verbose_in_part(pattern: str) -> bool:
    return _VERBOSE_IN_PART.search(_bare(pattern)) is not None


def _plain(token: str) -> str:
    if token.startswith("#"):
        return "#"
    if token.startswith("(?#"):
        return "(?#)"
    if len(token) == 1 or not token.startswith("["):
        return token
    start = 2 if token.startswith("[^") else 1
    return f"{token[:start]}{_IN_CLASS.sub(_literally, token[start:-1])}]"


def _literally(found: re.Match[str]) -> str:
    first, last = (f"\\{mark}" if mark in _MARKS_OF_SETS else mark for mark in found.groups(default=""))
    return f"{first}-{last}" if last else first


def _flags(pattern: str) -> set[str]:
    return {flag for flags in _FLAGS.findall(_bare(pattern)) for flag in flags}


def _bare(pattern: str) -> str:
    """The pattern with its escapes and classes blanked out."""
    return "".join(token if len(token) == 1 else " " for token in _tokens(pattern))


def _is_text(message: str) -> bool:
    """Whether it has no lone surrogates, which cannot be encoded as UTF-8."""
    try:
        message.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
