"""Every operation of the API under requests that schemathesis makes of the OpenAPI document, sound ones and junk."""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode, Response
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from agent.lookout.api.application import create, described
from agent.lookout.api.document import query_parameters
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.api.serving import Client, backend, empty_store, serving
from tests.lookout.process import failures
from tests.scheduler.service.site import served, site
from tests.store.databases import new_store

APP = described()
DOCUMENT: dict[str, Any] = APP.openapi()
ENDLESS = "/api/v1/changes"
"""A stream that the client ends: tests/lookout/api/test_changes.py reads it."""

OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    if path != ENDLESS
    for method, operation in methods.items()
}
REFUSING = [
    label
    for label, operation in OPERATIONS.items()
    if "requestBody" in operation or query_parameters(APP, operation["operationId"])
]
"""Operations that can be asked for junk: any text can be a name."""

FEW, MANY, MOST = 2, 8, 500
"""Requests to an operation."""

CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


Operation = APIOperation[Any, Any, Any, Any]
Operations = dict[str, Operation]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a Lookout that has stored something and forwards to a scheduler."""
    with (
        Store.open(new_store(tmp_path_factory.mktemp("scheduler"))) as scheduler,
        served(site(scheduler)) as address,
        empty_store(tmp_path_factory.mktemp("lookout")) as store,
        serving(create(replace(backend(store), scheduler=address))) as found,
    ):
        with store.write() as connection:
            record(connection, failures(60))
        yield found


@pytest.fixture(scope="module")
def operations() -> Operations:
    """Each operation by its method and path."""
    loaded: Any = schemathesis.openapi.from_dict(DOCUMENT)
    return {found.ok().label: found.ok() for found in loaded.get_all_operations()}


def ask_soundly(client: Client, operation: Operation, examples: int) -> None:
    ask(client, operation.as_strategy(GenerationMode.POSITIVE), CHECKS, examples)


def ask_for_junk(client: Client, operation: Operation, examples: int) -> None:
    ask(client, operation.as_strategy(GenerationMode.NEGATIVE), [*CHECKS, negative_data_rejection], examples)


def ask(client: Client, cases: st.SearchStrategy[Case[Any]], checks: list[CheckFunction], examples: int) -> None:
    """Send this many requests; the same ones each time, if they are few."""

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples == FEW,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def asking(case: Case[Any]) -> None:
        response = case.call(base_url=f"http://127.0.0.1:{client.port}")
        if response.status_code != HTTPStatus.REQUEST_URI_TOO_LONG:  # which schemathesis does not take for a refusal
            case.validate_response(response, checks=checks)
        assert_says_what_to_do(response)

    asking()


def assert_says_what_to_do(response: Response) -> None:
    """What is refused is a problem, and names what is wrong."""
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        problem = response.json()
        assert problem["status"] == response.status_code
        assert problem["detail"]
        assert problem["type"] == f"urn:failure-agent:problem:{problem['code']}"


@pytest.mark.parametrize("label", OPERATIONS)
def test_sound_requests(client: Client, operations: Operations, label: str) -> None:
    ask_soundly(client, operations[label], FEW)


@pytest.mark.parametrize("label", REFUSING)
def test_junk(client: Client, operations: Operations, label: str) -> None:
    ask_for_junk(client, operations[label], FEW)


@pytest.mark.parametrize(
    "examples", [pytest.param(MANY, marks=pytest.mark.slow), pytest.param(MOST, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("label", OPERATIONS)
def test_more_of_both(client: Client, operations: Operations, label: str, examples: int) -> None:
    ask_soundly(client, operations[label], examples)
    if label in REFUSING:
        ask_for_junk(client, operations[label], examples)
