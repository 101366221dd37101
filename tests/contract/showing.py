"""What transcripts show of answers that are long, or in which much is of kinds that the simulator does not have."""

from collections.abc import Sequence
from typing import Final

from agent.simulator.kinds import KINDS
from tests.simulator.api import Json

TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"
AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

_GROUPS: Final = {kind.group for kind in KINDS.values()}
_NAMES: Final = {name for kind in KINDS.values() for name in (kind.plural, *(f"{kind.plural}/{p}" for p in kind.parts))}
_UNSAID: Final = ("storageVersionHash",)


def groups(body: Json) -> Json:
    """A list of groups, of those that the simulator has."""
    return {**body, "groups": [each for each in body["groups"] if each["name"] in _GROUPS]}


def resources(body: Json) -> Json:
    """The resources of a group that the simulator has."""
    return {**body, "resources": [_served(each) for each in body["resources"] if each["name"] in _NAMES]}


def aggregated(body: Json) -> Json:
    """Groups in one document, of those that the simulator has."""
    items = [each for each in body["items"] if each["metadata"].get("name", "") in _GROUPS]
    return {**body, "items": [{**each, "versions": [_version(one) for one in each["versions"]]} for each in items]}


def _version(version: Json) -> Json:
    listed = [_aggregated(each) for each in version["resources"] if each["resource"] in KINDS]
    return {**version, "resources": sorted(listed, key=lambda each: str(each["resource"]))}


def _aggregated(resource: Json) -> Json:
    parts = [
        each for each in resource.get("subresources") or () if f"{resource['resource']}/{each['subresource']}" in _NAMES
    ]
    rest = {name: value for name, value in _served(resource).items() if name != "subresources"}
    return {**rest, **({"subresources": parts} if parts else {})}


def _served(resource: Json) -> Json:
    """A resource without what the simulator does not claim; collections are not deleted."""
    said = {name: value for name, value in resource.items() if name not in _UNSAID}
    return {**said, "verbs": [verb for verb in resource["verbs"] if verb != "deletecollection"]}


def specifications(body: Json) -> Json:
    """Where the specifications of groups are, without the hashes of their content."""
    places = {"api/v1", *(f"apis/{group}/v1" for group in _GROUPS if group)}
    return {
        "paths": {
            place: {"serverRelativeURL": said["serverRelativeURL"].partition("?")[0]}
            for place, said in body["paths"].items()
            if place in places
        }
    }


def specification(body: Json) -> Json:
    """Of a specification, which kinds can be patched, and whether their fields are checked when they are."""
    return {
        "openapi": body["openapi"],
        "patch": {
            path: {**_about(item["patch"]), "fieldValidation": "fieldValidation" in _parameters(item["patch"])}
            for path, item in sorted(body["paths"].items())
            if "patch" in item and item["patch"]["x-kubernetes-group-version-kind"]["kind"] in _KINDS and _is_one(path)
        },
    }


_KINDS: Final = {kind.name for kind in KINDS.values()}


def _is_one(path: str) -> bool:
    return path.endswith("/{name}")


def _about(operation: Json) -> Json:
    return {name: operation[name] for name in ("x-kubernetes-group-version-kind",)}


def _parameters(operation: Json) -> Sequence[str]:
    return [each["name"] for each in operation.get("parameters") or ()]


def table(body: Json) -> Json:
    """A table without the descriptions of its columns."""
    if body.get("kind") != "Table":
        return body
    columns = [{**each, "description": ""} for each in body["columnDefinitions"] or ()]
    return {**body, "columnDefinitions": columns or body["columnDefinitions"]}


def table_event(event: Json) -> Json:
    """An event of a watch of tables."""
    return {**event, "object": table(event["object"])}
