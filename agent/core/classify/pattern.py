"""RE2 patterns: the dialect of Go's ``regexp``, compiled one at a time or as one set.

google-re2 fails silently: ``Set.Match`` returns ``None`` for no match, for a set that was not compiled, and when its
states ran out of memory. It also gives no reason why ``Set.Add`` refuses a pattern. So each pattern is compiled alone
first, and a set tests itself.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import re2

MAX_MEMORY_BYTES = 64 << 20
"""Bytes that one set may use for its program and its states."""

RECHECK_EVERY = 1000
"""One miss in this many is checked again, pattern by pattern: a set that ran out of memory also answers with a miss."""

RECHECK_BYTES = 16 << 10
"""The longest text that is checked again: for 64 KiB a thousand patterns take a second, and hold up others."""

REMEMBERED = 64
"""Texts whose patterns a set remembers."""

REMEMBERED_LENGTH = 1 << 8
"""The longest text that is remembered, in characters: short messages come again, ends of logs rarely do."""

_MAX_PATTERN_MEMORY_BYTES = 8 << 20
_COMPILED_KEPT = 4096
_CANARY = "\x00canary\x00"


class PatternError(ValueError):
    """An invalid pattern; the text is the engine's message."""


class Span(Protocol):
    """What ``re2`` returns for a pattern that was found."""

    def span(self) -> tuple[int, int]:
        """Where it was found, in bytes."""
        ...

    def group(self, name: str) -> bytes | None:
        """What a named group matched; ``None`` if it took no part."""
        ...


class Regex(Protocol):
    def __hash__(self) -> int:
        """What a pattern found is kept by the pattern itself."""
        ...

    @property
    def programsize(self) -> int:
        """How many steps it is compiled to."""
        ...

    @property
    def groupindex(self) -> Mapping[str, int]:
        """The named groups."""
        ...

    def search(self, text: bytes) -> Span | None:
        """Look for the pattern anywhere in ``text``."""
        ...

    def finditer(self, text: bytes) -> Iterator[Span]:
        """Look for all places of the pattern in ``text``."""
        ...


class _Set(Protocol):
    """The interface of ``re2.Set``; ``Match`` returns ``None`` for no match, and also when it failed."""

    def Match(self, text: bytes) -> list[int] | None:  # noqa: N802 - the name re2 gives it
        """The numbers of the patterns found, unsorted."""
        ...


@functools.lru_cache(maxsize=_COMPILED_KEPT)
def compile_pattern(pattern: str) -> Regex:
    r"""Compile one pattern as Go would. Raises ``PatternError``; ``\C``, which Go lacks, is also refused.

    Kept, because the cache of ``re2`` itself holds 128.
    """
    if _has_any_byte(pattern):
        # RE2 accepts it, Go does not: it splits characters into bytes
        raise PatternError(r"invalid escape sequence: \C")
    try:
        compiled: Regex = re2.compile(pattern, _options(_MAX_PATTERN_MEMORY_BYTES))
    except re2.error as error:
        raise PatternError(_reason(error)) from error
    except UnicodeEncodeError as error:
        raise PatternError("not valid Unicode") from error
    return compiled


def find(regex: Regex, text: str) -> str | None:
    """The part of ``text`` that ``regex`` matches first, or ``None``. An empty text never matches.

    What was found in the last short texts is remembered: a single search whose states are no longer in the processor's
    cache takes up to 50 us, however short the text is.
    """
    return _remembered(regex, text) if len(text) <= REMEMBERED_LENGTH else _find(regex, text)


def _find(regex: Regex, text: str) -> str | None:
    data = text.encode("utf-8", "replace")
    found = regex.search(data) if data else None
    if found is None:
        return None
    start, end = found.span()
    return data[start:end].decode("utf-8", "replace")


_remembered = functools.lru_cache(maxsize=REMEMBERED)(_find)


def spans(regex: Regex, data: bytes) -> Iterator[tuple[int, int]]:
    """Where ``regex`` is found in ``data``, in order and without overlaps."""
    return (found.span() for found in regex.finditer(data))


class PatternSet:
    """Many patterns, searched at once; each maps to a mask of rule bits.

    Searching for a thousand patterns costs nearly the same as for ten. A set may fail silently, so it tests
    itself with a canary when it is created, and one miss in ``RECHECK_EVERY`` is searched again pattern by
    pattern, if the text is not too long. ``mismatches`` counts the cases where that found more, and its result is
    then used. What was found in the last short texts is remembered: pods of one job often fail with the same words.
    Safe to use from several threads; the count may then miss one.
    """

    __slots__ = ("_bits", "_found", "_misses", "_regexes", "_set", "masks", "mismatches")

    def __init__(self, masks: Mapping[str, int]) -> None:
        """Compile ``masks``, pattern to mask. Raises ``PatternError``."""
        self._hold(masks)
        self._regexes = {pattern: compile_pattern(pattern) for pattern in masks}
        self._set = _compile_set([*masks, _CANARY], max_memory_bytes=MAX_MEMORY_BYTES)
        self._misses = itertools.count()

    def _hold(self, masks: Mapping[str, int]) -> None:
        self.masks = dict(masks)
        self._bits = [*masks.values(), 0]  # the canary, the last pattern of the set, belongs to no rule
        self._found: dict[str, int] = {}
        self.mismatches = 0

    @property
    def is_compiled(self) -> bool:
        """Whether the next search need not compile the patterns first."""
        return True

    @property
    def steps(self) -> int:
        """How many steps the patterns are compiled to: at worst each of them is taken for each byte of a text."""
        return sum(compile_pattern(pattern).programsize for pattern in self.masks)

    def match(self, text: str) -> int:
        """The masks of all patterns found in ``text``, together. An empty text never matches."""
        if not text:
            return 0
        is_short = len(text) <= REMEMBERED_LENGTH  # a long one is not there, and takes long to hash
        if is_short and (known := self._found.get(text)) is not None:
            return known
        data = text.encode("utf-8", "replace")
        found = self._set.Match(data)
        if found is None:
            return self._miss(data)
        bits = self._bits
        mask = 0
        for index in found:
            mask |= bits[index]
        if is_short:
            self._remember(text, mask)
        return mask

    def _remember(self, text: str, mask: int) -> None:
        if len(self._found) >= REMEMBERED:
            self._found.clear()
        self._found[text] = mask

    def _miss(self, data: bytes) -> int:
        if len(data) > RECHECK_BYTES:
            return 0
        return self._recheck(data) if next(self._misses) % RECHECK_EVERY == 0 else 0

    def _recheck(self, data: bytes) -> int:
        mask = 0
        for bit, regex in zip(self._bits, self._regexes.values(), strict=False):  # without the canary
            if regex.search(data) is not None:
                mask |= bit
        self.mismatches += mask != 0
        return mask


class LateSet(PatternSet):
    """A set that is compiled when the first text is searched: most processes that end soon need few of their sets.

    Only for patterns that have been compiled before, one by one and together: ``match`` raises ``PatternError`` where
    they do not compile. The first misses are not checked again.
    """

    __slots__ = ()

    def __init__(self, masks: Mapping[str, int]) -> None:
        """Hold ``masks``, pattern to mask."""
        self._hold(masks)
        self._misses = itertools.count(1)

    @property
    def is_compiled(self) -> bool:
        return hasattr(self, "_set")

    def match(self, text: str) -> int:
        if text and not self.is_compiled:
            self._set = _compile_set([*self.masks, _CANARY], max_memory_bytes=MAX_MEMORY_BYTES)
        return super().match(text)

    def _recheck(self, data: bytes) -> int:
        self._regexes = {pattern: compile_pattern(pattern) for pattern in self.masks}
        return super()._recheck(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiling:
    """When patterns are compiled. ``check`` raises ``PatternError`` for an invalid one, as may ``together``."""

    check: Callable[[str], object]
    together: Callable[[Mapping[str, int]], PatternSet]


def _accept(pattern: str) -> None:
    del pattern


AT_ONCE: Final = Compiling(check=compile_pattern, together=PatternSet)
"""For patterns that may be invalid."""

WHEN_SEARCHED: Final = Compiling(check=_accept, together=LateSet)
"""For patterns that have been compiled before."""


def _compile_set(patterns: list[str], *, max_memory_bytes: int) -> _Set:
    made = re2.Set.SearchSet(_options(max_memory_bytes))
    try:
        for pattern in patterns:
            made.Add(pattern)
        made.Compile()
    except re2.error as error:
        raise PatternError(f"{len(patterns) - 1} patterns do not fit in {max_memory_bytes} bytes together") from error
    compiled: _Set = made
    if len(patterns) - 1 not in (compiled.Match(_CANARY.encode()) or ()):
        raise PatternError("the pattern set does not match its canary")
    return compiled


def _options(max_memory_bytes: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = max_memory_bytes
    options.log_errors = False  # the caller reports them; RE2 would write to stderr
    return options


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else "not a valid pattern"
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _has_any_byte(pattern: str) -> bool:
    return any(escape == "C" for escape in escapes(pattern))


def escapes(pattern: str) -> Iterator[str]:
    r"""The characters that a backslash escapes, without those between ``\Q`` and ``\E``."""
    position = 0
    while (position := pattern.find("\\", position)) != -1:
        escape = pattern[position + 1 : position + 2]
        yield escape
        position += 2
        if escape == "Q":
            end = pattern.find("\\E", position)
            position = len(pattern) if end == -1 else end + 2
