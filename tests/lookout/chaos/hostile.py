"""Texts that have ended other programs, in each place of a message where a pod, a node or a person writes one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from agent.core.run_event import RunEvent
from agent.core.summary.texts import TextPlace, rewrite
from agent.wire.events import encode

_MARK: Final = "<poison>"
"""Stands in a text until that is encoded: no library writes half of a surrogate pair."""

_LINE: Final = b"x" * (64 * 1024)
POISONS: Final[Mapping[str, bytes]] = {
    "nul": b"\x00",
    "surrogate": b"\xed\xa0\x80",
    "override": "\u202etxt.exe\u2066".encode(),
    "escape": b"\x1b]8;;http://example.com\x07\x1b[2J",
    "separator": "\u2028\u0085\r".encode(),
    "not-a-character": "\uffff\U0010ffff".encode(),
    "spelled-out": rb"\u0000\ud800\x00%00",
}
"""What takes the place of the mark, all but the long line."""

LINE: Final = "line"
"""The name of a text of one line that is as long as the longest of a log."""

IDS: Final = frozenset({"event_id", "cluster_id", "cluster"})
"""Fields that our own processes write, whatever a pod says."""


@dataclass(slots=True)
class _Finding:
    """Collects the paths of all texts."""

    paths: list[str] = field(default_factory=list)

    def text(self, text: str, place: TextPlace) -> str:
        if place.path not in IDS:
            self.paths.append(place.path)
        return text

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items


@dataclass(frozen=True, slots=True)
class _Writing:
    """Appends to the text at one path."""

    path: str
    written: str

    def text(self, text: str, place: TextPlace) -> str:
        return text + self.written if place.path == self.path else text

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items


def paths(event: RunEvent) -> list[str]:
    """The places of all texts of an event that others write."""
    finding = _Finding()
    rewrite(event, finding)
    return finding.paths


def poisoned(event: RunEvent, path: str, poison: str) -> bytes:
    """The payload of the event with the poison in this place."""
    if poison == LINE:
        return encode(rewrite(event, _Writing(path, _LINE.decode())))
    payload = encode(rewrite(event, _Writing(path, _MARK * 4)))
    return payload.replace(_MARK.encode() * 4, POISONS[poison].ljust(len(_MARK) * 4, b"."))


def drawn(event: RunEvent, draw: Random) -> bytes:
    """The payload of the event with any poison in any place."""
    return poisoned(event, draw.choice(paths(event)), draw.choice([*POISONS, LINE]))
