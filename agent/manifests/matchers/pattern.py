"""Regular expressions that people write: whether they compile, and if not, where and why."""

import re
import warnings
from dataclasses import dataclass

from agent.core.classify.matchers.text import Engine
from agent.core.classify.pattern import PatternError, compile_pattern

MAX_BYTES = 4096
"""The longest pattern, in bytes of UTF-8."""

MAX_NESTED = 100
"""The deepest nesting of groups: what reads a pattern needs the stack for each, and RE2 takes 1,000 of them."""

MAX_WRITTEN_OUT = 20_000
"""The longest pattern for the backtracking engine with its counted repetitions written out, in characters."""

# One escape, one set, one counted repetition, or one character.
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<counts>[0-9]*,?[0-9]*)\}|.", re.DOTALL)
# int() of a longer count would be slow, and such a pattern is too long anyway.
_LONGEST_COUNT = 12
_DOT_ALL = re.compile(r"\(\?[a-zA-Z]*s")
_COUNTED = re.compile(r"(?:\]|(?<!\\)\.|\\[wWdDsS])\{[0-9]*,(?P<most>[0-9]+)\}")
_FAR = 20
_GREEDY = re.compile(r"(?:\.|\[\\s\\S\]|\[\\S\\s\])[*+]")
_SAMPLES = (b"a", b"0 \xc3\xa9\n#", b"Z_z:9\t~", b"\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternFault:
    """Why a pattern cannot be used; ``offset`` is the position in it, in characters, if that is known."""

    message: str
    hint: str = ""
    offset: int | None = None
    length: int = 1


def fault_of(text: str, engine: Engine) -> PatternFault | None:
    """Return why this engine cannot use the pattern; ``None`` if it can."""
    size = len(text.encode())
    if size > MAX_BYTES:
        return PatternFault(message=f"the pattern is {size} bytes long; at most {MAX_BYTES} are allowed")
    if (opening := _too_deep(text)) is not None:
        message = f"groups are nested more than {MAX_NESTED} levels deep"
        return PatternFault(message=message, hint="take out the groups that change nothing", offset=opening)
    return _backtracking_fault(text) if engine is Engine.BACKTRACKING else _re2_fault(text)


def _too_deep(text: str) -> int | None:
    """Return where the first group opens that is nested too deeply."""
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth > MAX_NESTED:
            return token.start()
    return None


def matches_everything(text: str) -> bool:
    """Return whether a valid RE2 pattern is found in every text. It is tried on a few very different texts."""
    compiled = compile_pattern(text)
    return all(compiled.search(sample) is not None for sample in _SAMPLES)


def is_costly(text: str) -> bool:
    r"""Return whether ``(?s).*`` or ``[\s\S]*`` is inside a pattern, where it multiplies RE2's states."""
    dot_all = _DOT_ALL.search(text) is not None
    found = [gap for gap in _GREEDY.finditer(text) if dot_all or gap.group().startswith("[")]
    return any(text[: gap.start()].strip("()?simU:^") and text[gap.end() :].strip("()$?") for gap in found)


def counts_far(text: str) -> bool:
    r"""Return whether a gap is counted, such as ``[^\n]{0,80}``: RE2 counts from each place where it may have begun.

    Alone it costs little. A set of some hundred patterns with such gaps fills RE2's cache of states, and then takes a
    hundred times as long for a text.
    """
    return any(int(found["most"][:_LONGEST_COUNT]) >= _FAR for found in _COUNTED.finditer(text))


def _re2_fault(text: str) -> PatternFault | None:
    try:
        compile_pattern(text)
    except PatternError as error:
        message = str(error)
        fragment = message.partition(": ")[2]
        offset = text.find(fragment) if fragment and fragment in text else None
        return PatternFault(message=message, hint=_hint(text), offset=offset, length=max(1, len(fragment)))
    return None


def _hint(text: str) -> str:
    if r"\Z" in text:
        return r"RE2 and Go write the end of the text as \z"
    if r"\C" in text:
        return r"\C is one byte, perhaps half a character; write (?s:.) for any character"
    if _backtracking_fault(text) is None:
        return (
            "RE2 does not support this; "
            "`engine: backtracking` runs this one rule in an engine that does, with a time limit"
        )
    return ""


def _backtracking_fault(text: str) -> PatternFault | None:
    # Checked before compiling: the regex module writes repetitions out, so a short text can use up the memory.
    if written_out(text) > MAX_WRITTEN_OUT:
        message = f"longer than {MAX_WRITTEN_OUT} characters when its repetitions are written out"
        return PatternFault(message=message, hint="use smaller counts in {}")
    import regex  # noqa: PLC0415 - few patterns need it, and it takes an agent a megabyte

    try:
        with warnings.catch_warnings():
            # The module warns about syntax that may change its meaning; lint reports errors only.
            warnings.simplefilter("ignore")
            regex.compile(text)
    except regex.error as error:
        said = re.fullmatch(r"(.*) at position ([0-9]+).*", str(error), re.DOTALL)
        return PatternFault(message=said[1] if said else str(error), offset=int(said[2]) if said else None)
    except (RecursionError, OverflowError, ValueError) as error:
        return PatternFault(message=f"not a pattern that can be compiled: {error}")
    return None


def written_out(text: str) -> int:
    """Return about how long a pattern is when every ``{n,m}`` is written out m times: what compiling it costs."""
    levels, last = [0], 0
    for token in _TOKENS.finditer(text):
        if token.group() == "(":
            levels.append(0)
            last = 0
        elif token.group() == ")" and len(levels) > 1:
            last = 1 + levels.pop()
            levels[-1] += last
        elif (counts := token["counts"]) is not None:
            grown = last * max(1, *(_count(number) for number in counts.split(",")))
            levels[-1] += grown - last
            last = grown
        elif not token.group().isspace() and token.group() not in "?*+":
            last = 1
            levels[-1] += last
    return sum(levels)


def _count(number: str) -> int:
    return int(number[:_LONGEST_COUNT]) if number else 0
