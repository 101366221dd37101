"""The kinds of resources: their names for people and their numbers in the API."""

from typing import Final

from agent.api.v1 import resources_pb2 as pb
from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.ctl.resources.aliases import OTHERS
from agent.documents.problem import nearest
from agent.manifests.resource.kind import Kind

NUMBERS: Final = {
    Kind.RETRY_POLICY: pb.RESOURCE_KIND_RETRY_POLICY,
    Kind.QUEUE: pb.RESOURCE_KIND_QUEUE,
    Kind.ERROR_RULE: pb.RESOURCE_KIND_ERROR_RULE,
}
KINDS: Final = {int(number): kind for kind, number in NUMBERS.items()}

NAMES: Final = {kind: (name, *OTHERS[name]) for kind, name in zip(Kind, OTHERS, strict=True)}
"""The names of each kind on the command line; the first is the one that we print."""

_BY_NAME: Final = {name: kind for kind, names in NAMES.items() for name in names}


def read_kind(typed: str) -> Kind:
    """The kind with this name. Raises UsageError."""
    kind = _BY_NAME.get(typed.casefold())
    if kind is None:
        hint = nearest(typed, _BY_NAME) or f"known: {', '.join(names[0] for names in NAMES.values())}"
        raise UsageError(f"there is no kind of resources called {visible(typed)}; {hint}")
    return kind


def title(kind: int, name: str) -> str:
    """The kind and name of a resource, for a sentence: ``retry policy infra``."""
    return f"{KINDS[kind].word} {visible(name)}"
