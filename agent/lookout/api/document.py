"""The OpenAPI document: FastAPI's, with errors as they are, and with parameters that many operations have said once."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import compile_path

Node = dict[str, Any]

_PROBLEM: Final = "application/problem+json"
_DEFAULT: Final = "default"
_VALIDATION: Final = "422"
_UNUSED: Final = ("HTTPValidationError", "ValidationError")


def document(app: FastAPI) -> Node:
    """The document of an application; made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _adapted(
            get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
        )
    return app.openapi_schema


def query_parameters(app: FastAPI, operation_id: str) -> dict[str, Node]:
    """The query parameters of an operation: their schemas by name."""
    made = document(app)
    shared = made["components"]["parameters"]
    (operation,) = (found for found in _operations(made) if found["operationId"] == operation_id)
    parameters = (shared[_name(found)] if "$ref" in found else found for found in operation.get("parameters", ()))
    return {parameter["name"]: parameter["schema"] for parameter in parameters if parameter["in"] == "query"}


def methods_at(app: FastAPI, path: str) -> tuple[str, ...]:
    """The methods of all operations at a path: the router names those of one of them only."""
    found = (methods for template, methods in document(app)["paths"].items() if compile_path(template)[0].match(path))
    return tuple(sorted({method.upper() for methods in found for method in methods}))


def _name(reference: Node) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _adapted(made: Node) -> Node:
    for operation in _operations(made):
        operation["responses"].pop(_VALIDATION, None)  # FastAPI's own shape, with which nothing answers
        _say_media_type(operation["responses"].get(_DEFAULT, {}))
    for name in _UNUSED:
        made["components"]["schemas"].pop(name, None)
    _share_parameters(made)
    return made


def _operations(made: Node) -> Iterator[Node]:
    for path in made["paths"].values():
        yield from path.values()


def _say_media_type(response: Node) -> None:
    content = response.get("content", {})
    if "application/json" in content:
        content[_PROBLEM] = content.pop("application/json")


def _share_parameters(made: Node) -> None:
    """Say each parameter that several operations have in ``components``: the lists have a hundred each."""
    lists = [operation["parameters"] for operation in _operations(made) if "parameters" in operation]
    uses: dict[bytes, list[tuple[list[Node], int]]] = {}
    for parameters in lists:
        for place, parameter in enumerate(parameters):
            uses.setdefault(msgspec.json.encode(parameter), []).append((parameters, place))
    shared: Node = {}
    for places in uses.values():
        if len(places) > 1:
            parameters, place = places[0]
            name = _free_name(parameters[place]["name"], shared)
            shared[name] = parameters[place]
            for using, at in places:
                using[at] = {"$ref": f"#/components/parameters/{name}"}
    made["components"]["parameters"] = dict(sorted(shared.items()))


def _free_name(name: str, taken: Node) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
