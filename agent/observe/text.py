"""Strips control characters: text from pods, events and nodes is hostile until then.

Whoever can submit a pod writes its messages and the events about it. A NUL breaks a store, and a terminal sequence
moves the cursor of the person who reads the failure.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from agent.core.evidence import Evidence
from agent.core.memo import memo
from agent.core.summary.texts import TextPlace, Texts, collect, rewrite

_HOSTILE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x00-\x1f]*(?:\x07|\x1b\\))"  # ECMA-48: CSI (colours), and OSC (titles, links)
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
)
_CLEAN = bytes(code for code in range(256) if code in b"\n\t" or code not in (*range(32), 127))
"""All bytes but those of the characters in ASCII that ``strip`` takes out."""
_C1_LEAD = b"\xc2"
"""The first byte in UTF-8 of the control characters U+0080 to U+009F, and of little else."""


def strip(text: str) -> str:
    """The text without terminal sequences, NUL, lone surrogates and control characters other than newline and tab.

    A sequence goes whole: ``error`` in red is found as the word ``error`` at the start of its line.
    """
    return text if text.isprintable() else _HOSTILE.sub("", text)


def is_clean(text: str) -> bool:
    """Whether ``strip`` would certainly change nothing. A fast check; it rarely says no of a clean text."""
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return False
    return not raw.translate(None, _CLEAN) and (text.isascii() or _C1_LEAD not in raw)


def strip_evidence(evidence: Evidence) -> Evidence:
    """The evidence with every text stripped; ``sanitized`` names the fields that changed."""
    # One check over all texts joined: nearly all evidence is clean, and rewriting it is the slow path.
    texts = collect(evidence)
    if is_clean(texts.once) and (texts.of_node is None or _is_clean_node(texts.of_node)):
        return evidence
    stripping = _Stripping()
    stripped = rewrite(evidence, stripping)
    return replace(stripped, sanitized=(*stripped.sanitized, *stripping.paths))


def _are_clean(texts: Texts) -> bool:
    return is_clean(texts.once)


_is_clean_node = memo(_are_clean)


@dataclass(frozen=True, slots=True)
class _Stripping:
    """Strips texts and records where."""

    paths: list[str] = field(default_factory=list)

    def text(self, text: str, place: TextPlace) -> str:
        stripped = strip(text)
        if len(stripped) == len(text):
            return text
        self.paths.append(place.path)
        return stripped

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
