"""Quoting: the pod's error quotes the messages of its containers, so one search mostly covers both.

A pattern without anchors that does not match a text matches no part of it either. The patterns for termination messages
are therefore searched in the pod's error together with its own, and in a message only those that were found there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.core.classify.pattern import Compiling, PatternError, PatternSet, compile_pattern, escapes, find

_ANCHOR_ESCAPES = frozenset("AzQ")
r"""Escapes that anchor to the text (``\A``, ``\z``), and ``\Q``, after which anchors cannot be recognised."""

_ESCAPED = re.compile(r"\\.", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The patterns for termination messages. ``quotable`` are those that are searched in the pod's error, by bit.

    ``quotable_bits`` are these bits. ``anchored`` are the others, or ``None`` if there are no others.
    """

    every: PatternSet
    anchored: PatternSet | None = None
    quotable: Mapping[int, Sequence[str]] = field(default_factory=dict)
    quotable_bits: int = 0

    def match(self, message: str, *, error: str, in_error: int) -> int:
        """The bits of all patterns found in a message; ``in_error`` are those found in the pod's error."""
        candidates = in_error & self.quotable_bits
        if (candidates and self.every.is_compiled) or not self.quotable or not quotes(error, message):
            return self.every.match(message)
        found = 0 if self.anchored is None else self.anchored.match(message)
        return found | self._quoted(message, candidates) if candidates else found

    def _quoted(self, message: str, candidates: int) -> int:
        """The bits of quotable patterns that are found in a message, too.

        They are few: searching each alone takes less time than to compile them all, and more than to search for all.
        """
        found = 0
        while candidates:
            bit = candidates & -candidates
            candidates ^= bit
            if any(find(compile_pattern(pattern), message) is not None for pattern in self.quotable[bit]):
                found |= bit
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """The patterns that are searched in the pod's error; ``own`` are the bits of its own patterns."""

    patterns: PatternSet
    own: int


def join(
    messages: PatternSet | None, errors: PatternSet | None, compiling: Compiling
) -> tuple[Messages | None, Errors | None]:
    """The two sets to search. If they do not fit in memory together, each text is searched separately."""
    own = None if errors is None else Errors(patterns=errors, own=_union(errors.masks))
    if messages is None or own is None:
        return None if messages is None else Messages(every=messages), own
    free = {pattern: mask for pattern, mask in messages.masks.items() if not is_anchored(pattern)}
    anchored = {pattern: mask for pattern, mask in messages.masks.items() if pattern not in free}
    try:
        together = compiling.together(_added(own.patterns.masks, free))
        apart = compiling.together(anchored) if anchored else None
    except PatternError:
        return Messages(every=messages), own
    every = Messages(every=messages, anchored=apart, quotable=_by_bit(free), quotable_bits=_union(free))
    return every, Errors(patterns=together, own=own.own)


def is_anchored(pattern: str) -> bool:
    r"""Whether the pattern may depend on where a text or line begins or ends; true if that is uncertain.

    ``\b`` and ``\B`` do not count: a quoted message is between a space and a line break, as if it were alone.
    """
    if not _ANCHOR_ESCAPES.isdisjoint(escapes(pattern)):
        return True
    plain = _ESCAPED.sub("", pattern).replace("[^", "")
    return "^" in plain or "$" in plain


def quotes(error: str, message: str) -> bool:
    """Whether the error has the message between a space and a line break, as ``joined_errors`` writes it."""
    before = len(error) - len(message) - 2  # the last message is the common case: no search is needed
    if before >= 0 and error[before] == " " and error.endswith(message, 0, -1) and error[-1] == "\n":
        return True
    return f" {message}\n" in error


def _added(masks: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    added = dict(masks)
    for pattern, mask in more.items():
        added[pattern] = added.get(pattern, 0) | mask
    return added


def _by_bit(masks: Mapping[str, int]) -> Mapping[int, Sequence[str]]:
    found: dict[int, list[str]] = {}
    for pattern, mask in masks.items():
        rest = mask
        while rest:
            bit = rest & -rest
            rest ^= bit
            found.setdefault(bit, []).append(pattern)
    return found


def _union(masks: Mapping[str, int]) -> int:
    together = 0
    for mask in masks.values():
        together |= mask
    return together
