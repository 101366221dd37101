"""The OpenAPI document: what is checked in is what is served, and each operation says what it needs to."""

from collections.abc import Iterator
from typing import Any

import pytest

from agent.lookout.api.application import described
from tests.docs import openapi_document
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT
from tests.lookout.api.serving import Client

DOCUMENT: dict[str, Any] = described().openapi()
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def test_what_is_checked_in_is_what_the_code_says() -> None:
    assert (ROOT / openapi_document.PAGE).read_text() == openapi_document.text(), "run make generate"


def test_what_is_served_is_what_is_checked_in(client: Client) -> None:
    assert client.get("/api/v1/openapi.json").json == DOCUMENT


def test_every_operation_is_described() -> None:
    assert_no_findings(_undescribed, OPERATIONS)


def _undescribed(found: tuple[str, dict[str, Any]]) -> Iterator[str]:
    name, operation = found
    for field in ("summary", "tags"):
        if not operation.get(field):
            yield f"{name} has no {field}"
    if "_api_v1_" in operation["operationId"]:
        yield f"{name} needs an operation_id that people would choose"
    if list(operation["responses"]["default"]["content"]) != ["application/problem+json"]:
        yield f"{name} does not say how it fails"
    if "422" in operation["responses"]:
        yield f"{name} says that it answers with 422"


def test_no_two_operations_have_the_same_name() -> None:
    names = [operation["operationId"] for _, operation in OPERATIONS]

    assert len(set(names)) == len(names)


def test_every_reference_leads_somewhere() -> None:
    assert set(references(DOCUMENT)) <= {
        f"#/components/{kind}/{name}" for kind, found in DOCUMENT["components"].items() for name in found
    }


def references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from references(inner)


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/v1/corrections", "GET, HEAD, POST"),
        ("/api/v1/scheduler/queues/ml", "DELETE, GET, HEAD"),
        ("/api/v1/version", "GET, HEAD"),
        ("/healthz", "GET, HEAD"),
    ],
)
def test_every_method_that_can_be_used_is_said(client: Client, path: str, methods: str) -> None:
    answer = client.ask("OPTIONS", path)

    assert (answer.status, answer.code, answer.headers["allow"]) == (405, "method-not-allowed", methods)


@pytest.mark.parametrize("path", ["/api/v1/runs/a%00", "/api/v1/changes?scope=job/%00"])
def test_nul_is_refused(client: Client, path: str) -> None:
    answer = client.get(path)

    assert (answer.status, answer.code) == (400, "invalid-request")
    assert answer.json["errors"][0]["fix"] == "leave %00 out"


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("/api/v1/version?verbose=1", "leave it out; this takes none"),
        ("/api/v1/changes?scopes=all", "write scope, or use one of: scope"),
        ("/api/v1/changes?x=1&scope=all", "use one of: scope"),
    ],
)
def test_a_parameter_that_there_is_not_is_refused(client: Client, path: str, fix: str) -> None:
    answer = client.get(path)

    assert (answer.status, answer.code) == (400, "unknown-parameter")
    assert answer.json["errors"][0]["fix"] == fix


@pytest.mark.parametrize("query", ["limit=1&limit=3", "limit=3&limit=1", "runId=a&runId=a"])
def test_a_parameter_of_which_one_value_would_be_heard_is_refused(client: Client, query: str) -> None:
    answer = client.get(f"/api/v1/corrections?{query}")

    assert (answer.status, answer.code) == (400, "invalid-request")
    assert "written more than once" in answer.json["detail"]
