"""How people name kinds of resources."""

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
"""What people may type for each kind; the first is what we write."""

_BY_NAME: Final = {name: kind for kind, names in NAMES.items() for name in names}


def read_kind(typed: str) -> Kind:
    """The kind that somebody means. Raises UsageError."""
    kind = _BY_NAME.get(typed.casefold())
    if kind is None:
        hint = nearest(typed, _BY_NAME) or f"known: {', '.join(names[0] for names in NAMES.values())}"
        raise UsageError(f"there is no kind of resources called {visible(typed)}; {hint}")
    return kind


def title(kind: int, name: str) -> str:
    """How a sentence names a resource: ``retry policy infra``."""
    return f"{KINDS[kind].word} {visible(name)}"
