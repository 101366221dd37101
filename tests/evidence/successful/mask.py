"""Masks what differs between two runs of one thing: a line counts once, whatever its numbers, paths and ids are."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_MASKS: Final = (
    ("\x1b", re.compile(r"\x1b\[[0-9;?]*[A-Za-z]"), ""),
    ("://", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'<>)\]]+", re.IGNORECASE), "<url>"),
    ("-", re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    ("/", re.compile(r"(?<![\w/.<])(?:~|\.{1,2})?(?:/[\w.@+%=,~-]+)+/?"), "<path>"),
    ("/", re.compile(r"(?<![\w/<])[\w.@+=-]+(?:/[\w.@+%=,~-]+)+/?"), "<path>"),
    ("-", re.compile(r"(?<=[\"'])[a-z][a-z0-9-]*-(?=[a-z0-9]*[0-9])[a-z0-9]{4,10}(?=[\"'])"), "<name>"),
    ("0", re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<hex>"),
    (
        "",
        re.compile(r"(?<![0-9a-z])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,}(?![0-9a-z])", re.IGNORECASE),
        "<hex>",
    ),
    ("", re.compile(r"\d+(?:[.,:]\d+)*"), "<n>"),
)
"""What is masked, and as what, each with a text that a line has if it has such a thing: looking for that is fast."""


def masked(line: str) -> str:
    """Return the line without what changes from run to run: escape codes, addresses, ids, paths, hex and numbers."""
    for text, pattern, mask in _MASKS:
        if text in line:
            line = pattern.sub(mask, line)
    return " ".join(line.split())


def distinct(lines: Iterable[str], known: set[str]) -> Iterator[str]:
    """Yield the lines whose masked form is not known yet, and add it to ``known``; blank ones never."""
    for line in dict.fromkeys(lines):  # most repeat as they are, and masking is slow
        key = masked(line)
        if key and key not in known:
            known.add(key)
            yield line
