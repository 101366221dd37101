"""Changes of a document, and what people should know about them."""

from dataclasses import dataclass
from typing import Any

from agent.core.job.plain import Plain

Steps = tuple[str | int, ...]
"""The path of a field: keys of mappings, and indices of lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A field gets this value, whether it is there or not."""

    at: Steps
    value: object
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """A list gets one more item, at the index ``at`` ends with."""

    at: Steps
    value: object
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """A field is left out."""

    at: Steps
    why: str


Change = Put | Insert | Remove


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """The changes in their order. ``warnings``: what prevents that they work as intended; ``notes``: what else to do.

    A change without a reason only makes room for the next.
    """

    changes: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: "Suggestion") -> "Suggestion":
        """Return both, without repeating what is said of several Jobs."""
        return Suggestion(
            changes=(*self.changes, *other.changes),
            warnings=tuple(dict.fromkeys((*self.warnings, *other.warnings))),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
        )


def apply(change: Change, document: Any) -> None:  # noqa: ANN401 - nested mappings and lists of any kind
    """Change a document, a tree of mutable mappings and lists. What is there already is not inserted again.

    Raises LookupError or TypeError if the document has no such place.
    """
    *above, last = change.at
    parent = document
    for step in above:
        parent = parent[step]
    match change:
        case Put(value=value):
            parent[last] = value
        case Insert(value=value):
            # Places that an alias shares are one place: the second of equal changes finds its item there.
            if parent[last:][:1] != [value]:
                parent.insert(last, value)
        case Remove():
            parent.pop(last, None)


def below(document: object, steps: Steps) -> object:
    """Return what a document of plain values has at this path; ``None`` if nothing."""
    for step in steps:
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return None
    return document


def mapping_at(document: object, steps: Steps) -> Plain:
    """Return the mapping at this path, empty if there is none."""
    found = below(document, steps)
    return found if isinstance(found, dict) else {}


def list_at(document: object, steps: Steps) -> list[Any]:
    """Return the list at this path, empty if there is none."""
    found = below(document, steps)
    return found if isinstance(found, list) else []
