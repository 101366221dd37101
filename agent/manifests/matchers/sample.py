"""Samples: for each alternative of a pattern a text that it matches, to show people what it finds.

Reads the syntax of RE2 roughly: a sample may not match where a pattern uses what is rarely written. Callers try it.
"""

import re
from collections.abc import Iterator
from typing import Final

_QUANTIFIER: Final = re.compile(r"(?:\*|\+|\?|\{(?P<least>\d+)(?:,\d*)?\})\??")
_GROUP: Final = re.compile(r"\(\?(?:P?<\w+>|[a-zA-Z-]*:)|\((?!\?)")
_FLAGS: Final = re.compile(r"\(\?[a-zA-Z-]+\)")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_NOT_NEWLINE: Final = "[^\\n]"
_ESCAPES: Final = {"d": "0", "w": "a", "s": " ", "n": "\n", "t": "\t", "D": "x", "W": " ", "S": "x"}
_NOTHING: Final = frozenset("bBAzZQE")


def samples(pattern: str, *, gap: str) -> Iterator[str]:
    """A text for each alternative at the top; ``gap`` stands for any number of any characters of a line."""
    yield from _Reader(pattern, gap).alternatives()


class _Reader:
    """Reads a pattern once, from its start."""

    def __init__(self, pattern: str, gap: str) -> None:
        self._pattern = pattern
        self._gap = gap
        self._at = 0

    def alternatives(self) -> list[str]:
        """The samples of all alternatives up to the end of the group."""
        found = [""]
        while self._at < len(self._pattern) and self._pattern[self._at] != ")":
            if self._pattern[self._at] == "|":
                self._at += 1
                found.append("")
            else:
                found[-1] += self._repeated()
        return found

    def _repeated(self) -> str:
        start = self._at
        sample = self._atom()
        atom = self._pattern[start : self._at]
        quantifier = _QUANTIFIER.match(self._pattern, self._at)
        if quantifier is None:
            return sample
        self._at = quantifier.end()
        sign = quantifier.group()[0]
        if atom in (".", _NOT_NEWLINE) and sign in "*+":
            return self._gap
        return sample * {"*": 0, "?": 0, "+": 1}.get(sign, int(quantifier["least"] or 0))

    def _atom(self) -> str:
        pattern, at = self._pattern, self._at
        if flags := _FLAGS.match(pattern, at):
            self._at = flags.end()
            return ""
        if group := _GROUP.match(pattern, at):
            self._at = group.end()
            sample = self.alternatives()[0]
            self._at += 1
            return sample
        if listed := _CLASS.match(pattern, at):
            self._at = listed.end()
            return _member(listed.group())
        if pattern[at] == "\\":
            self._at += 2
            return _escaped(pattern[at + 1 : at + 2])
        self._at += 1
        return {".": "x", "^": "", "$": ""}.get(pattern[at], pattern[at])


def _escaped(character: str) -> str:
    return "" if character in _NOTHING else _ESCAPES.get(character, character)


def _member(listed: str) -> str:
    """One character of a class."""
    if listed.startswith("[^"):
        return "x"
    return _escaped(listed[2]) if listed[1] == "\\" else listed[1]
