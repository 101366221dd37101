"""OpenAPI v3, so far as clients look before they create: which kinds there are, and that the server checks fields.

The schemas of the kinds are left out: kubectl then leaves the checking of fields to the server, which stores what it is
given.
"""

from collections.abc import Sequence
from typing import Final

from agent.simulator.discovery import GROUPS
from agent.simulator.kinds import KINDS, Json, Kind

_HASH: Final = "simulator"
"""Of the specifications, by which clients keep them: they never change."""

_FIELD_VALIDATION: Final = {
    "name": "fieldValidation",
    "in": "query",
    "description": "Accepted; the simulator checks no fields.",
    "schema": {"type": "string", "uniqueItems": True},
}


def specifications() -> Json:
    """The answer of ``/openapi/v3``: where the specification of each group is."""
    places = ["api/v1", *(f"apis/{group}/v1" for group in GROUPS)]
    return {"paths": {place: {"serverRelativeURL": f"/openapi/v3/{place}?hash={_HASH}"} for place in places}}


def specification(group: str) -> Json:
    """The specification of a group; ``""`` is the core group."""
    kinds = [kind for kind in KINDS.values() if kind.group == group]
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "simulator"},
        "paths": {path: _item(kind) for kind in kinds for path in _paths(kind)},
    }


def _paths(kind: Kind) -> Sequence[str]:
    base = f"/apis/{kind.group}/v1" if kind.group else "/api/v1"
    where = "/namespaces/{namespace}" if kind.namespaced else ""
    return (f"{base}{where}/{kind.plural}", f"{base}{where}/{kind.plural}/{{name}}")


def _item(kind: Kind) -> Json:
    about = {"group": kind.group, "version": "v1", "kind": kind.name}
    operation = {"x-kubernetes-group-version-kind": about, "parameters": [_FIELD_VALIDATION], "responses": {}}
    return {"post": operation, "patch": operation}
