"""The rows of occurrences.yaml: what is seen of a pod, look by look, and what is told of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tables import table

FILE = Path(__file__).with_name("occurrences.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPod:
    """One look: ``at`` in seconds after now; ``pod`` is None where it is gone and nobody saw its last state."""

    at: float = 0
    pod: dict[str, Any] | None
    deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is seen, and what is told: occurrences, and of the last one container and category, if the row says."""

    name: str
    looks: tuple[SeenPod, ...]
    told: tuple[str, ...]
    events: tuple[dict[str, Any], ...] = ()
    last: dict[str, Any] = field(default_factory=dict)
    deadlines: dict[str, float] = field(default_factory=dict)
    real: bool = False


def read_rows() -> list[Row]:
    """Every row of the file, in its order."""
    return [_row(**given) for given in table(FILE)]


def _row(
    *,
    name: str,
    looks: list[dict[str, Any]],
    told: list[str],
    events: tuple[dict[str, Any], ...] = (),
    deadlines: dict[str, float] | None = None,
    real: bool = False,
    **last: Any,
) -> Row:
    assert last.keys() <= {"container", "category", "categories"}, last
    return Row(
        name=name,
        looks=tuple(_looks(looks)),
        told=tuple(told),
        events=tuple(events),
        last=last,
        deadlines=deadlines or {},
        real=real,
    )


def _looks(given: list[dict[str, Any]]) -> list[SeenPod]:
    pod: dict[str, Any] | None = None
    looks = []
    for look in given:
        assert look.keys() <= {"at", "pod", "deleted", "gone"}, look
        pod = None if look.get("gone") else look.get("pod", pod)
        deleted = bool(look.get("deleted") or look.get("gone"))
        looks.append(SeenPod(at=look.get("at", 0), pod=pod, deleted=deleted))
    return looks
