"""The names of kinds on the command line. ``--help`` loads it, so it imports little."""

from collections.abc import Sequence
from typing import Final

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.documents.problem import nearest
from agent.manifests.resource.kind import NAMES, NUMBERS, Kind

PRINTED: Final = tuple(kind.names[0] for kind in Kind)
"""The name of each kind that we print."""


def meant(typed: str) -> str:
    """The first name of a kind; text that names no kind is returned as it is."""
    kind = NAMES.get(typed)
    return typed if kind is None else kind.names[0]


def beginning(typed: str) -> Sequence[str]:
    """The kinds that begin like this, for completion."""
    return [name for name in PRINTED if name.startswith(typed)]


def read_kind(typed: str) -> Kind:
    """The kind with this name. Raises UsageError."""
    kind = NAMES.get(typed.casefold())
    if kind is None:
        hint = nearest(typed, NAMES) or f"known: {', '.join(PRINTED)}"
        raise UsageError(f"there is no kind of resources called {visible(typed)}; {hint}")
    return kind


def title(kind: int, name: str) -> str:
    """The kind and name of a resource, for a sentence: ``retry policy infra``."""
    return f"{NUMBERS[kind].word} {visible(name)}"
