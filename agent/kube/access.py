"""Which RBAC permission a request needs, and whether the API server grants it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from msgspec import Struct

from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer
from agent.kube.connection import Connection

REVIEWS: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
"""Every authenticated user may ask about itself (ClusterRole ``system:basic-user``), so this needs no permission."""

_VERBS: Final[Mapping[str, str]] = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A verb on a resource. ``resource`` is written ``pods/log`` for a subresource; ``namespace`` ``""`` is all."""

    verb: str
    resource: str
    group: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        """For people: ``list pods in namespace ml``."""
        resource = f"{self.resource}.{self.group}" if self.group else self.resource
        named = f" {self.name}" if self.name else ""
        return f"{self.verb} {resource}{named}" + (f" in namespace {self.namespace}" if self.namespace else "")


def access_of(method: str, path: str, params: Mapping[str, str]) -> Access | None:
    """The permission that a request needs; ``None`` for a path that is no resource (Kubernetes: request attributes).

    The name of an object in a namespace is left out: a permission that is missing is missing for all of them.
    """
    parts = [unquote(part) for part in path.strip("/").split("/")]
    match parts:
        case ["api", "v1", *rest]:
            group = ""
        case ["apis", group, _, *rest]:
            pass
        case _:
            return None
    match rest:
        case ["namespaces", namespace, resource, *named]:
            name = ""
        case [resource, *named]:
            namespace, name = "", "".join(named[:1])
        case _:
            return None
    verb = _VERBS.get(method) or _read_verb(params, named=bool(named))
    whole = "/".join((resource, *named[1:2]))
    return Access(verb=verb, resource=whole, group=group, namespace=namespace, name=name)


def _read_verb(params: Mapping[str, str], *, named: bool) -> str:
    if named:
        return "get"
    return "watch" if params.get("watch") == "true" else "list"


class _ReviewStatus(Struct, gc=False, frozen=True):
    allowed: bool = False


class _Review(Struct, gc=False, frozen=True):
    status: _ReviewStatus = _ReviewStatus()


_REVIEW: Final = Reader(_Review)


async def is_granted(connection: Connection, access: Access) -> bool:
    """Ask with a SelfSubjectAccessReview. Raises ApiError, Unreachable and msgspec.DecodeError."""
    resource, _, subresource = access.resource.partition("/")
    attributes = {
        "verb": access.verb,
        "group": access.group,
        "resource": resource,
        "subresource": subresource,
        "namespace": access.namespace,
        "name": access.name,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    return read_answer(_REVIEW, await connection.post(REVIEWS, body)).status.allowed
