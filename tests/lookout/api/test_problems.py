"""Errors: whatever refuses a request, and whatever fails, the answer is a problem that says what to do."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Annotated

import pytest
from fastapi import FastAPI, Query

from agent.lookout.api.problems import Fault, Problem, Unforeseen, answer_errors, quoted
from agent.lookout.query.refusal import TooSlow
from agent.store.errors import RowRefused, StoreUnreachable
from tests.lookout.api.serving import Client, serving


def failing() -> FastAPI:
    """An application whose endpoints fail, each in its way."""
    app = FastAPI()
    answer_errors(app)
    app.add_middleware(Unforeseen)

    @app.get("/refused")
    def refused() -> None:
        fault = Fault(parameter="sort", message="unknown column 'x'", fix="sort by one of: failedAt, jobId")
        raise Problem(HTTPStatus.BAD_REQUEST, "unknown-column", str(fault.message), faults=[fault])

    @app.get("/slow")
    def slow() -> None:
        raise TooSlow(10)

    @app.get("/unreachable")
    def unreachable() -> None:
        raise StoreUnreachable("postgresql://secret-host refused")

    @app.get("/unstorable")
    def unstorable() -> None:
        raise RowRefused("text fields cannot contain NUL")

    @app.get("/unforeseen")
    def unforeseen() -> None:
        raise KeyError("secret")

    @app.get("/typed/{number}")
    def typed(number: int, limit: Annotated[int, Query(le=500)] = 1) -> int:
        return number + limit

    @app.post("/body")
    def body(given: dict[str, int]) -> int:
        return len(given)

    return app


@pytest.fixture(scope="module")
def broken() -> Iterator[Client]:
    with serving(failing()) as found:
        yield found


def test_a_problem_has_a_stable_type_and_says_what_to_do(broken: Client) -> None:
    answer = broken.get("/refused")

    assert answer.json == {
        "type": "urn:failure-agent:problem:unknown-column",
        "title": "Unknown column",
        "status": 400,
        "detail": "unknown column 'x'",
        "code": "unknown-column",
        "errors": [
            {"parameter": "sort", "message": "unknown column 'x'", "fix": "sort by one of: failedAt, jobId"},
        ],
    }


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "detail"),
    [
        ("GET", "/nowhere", None, 404, "not-found", "there is nothing at '/nowhere'; /api/v1/openapi.json lists"),
        ("DELETE", "/refused", None, 405, "method-not-allowed", "DELETE cannot be used here; the header Allow"),
        ("GET", "/typed/x", None, 400, "invalid-request", "number: Input should be a valid integer"),
        ("GET", "/typed/1?limit=501", None, 400, "invalid-request", "limit: Input should be less than or equal to 500"),
        ("POST", "/body", b'{"a": "x"}', 400, "invalid-request", "a: Input should be a valid integer"),
        ("POST", "/body", b"{", 400, "invalid-request", "JSON decode error"),
        ("POST", "/body", b"\xff", 400, "bad-request", "There was an error parsing the body"),
        ("POST", "/body", None, 400, "invalid-request", "body: Field required"),
        (
            "GET",
            "/unstorable",
            None,
            400,
            "invalid-value",
            "refuses a value of this request: text fields cannot contain",
        ),
        ("GET", "/slow", None, 503, "too-slow", "took more than 10 s, so it was stopped; ask for a shorter time"),
        ("GET", "/unreachable", None, 503, "database-unavailable", "the database does not answer; ask again in 5 s"),
    ],
)
def test_everything_that_is_refused_is_a_problem(
    broken: Client, method: str, path: str, body: bytes | None, status: int, code: str, detail: str
) -> None:
    answer = broken.ask(method, path, body=body, headers={"Content-Type": "application/json"})

    assert (answer.status, answer.code) == (status, code)
    assert detail in answer.json["detail"]
    assert "secret" not in answer.text


def test_what_is_invalid_names_the_parameter_or_the_field(broken: Client) -> None:
    in_query = broken.get("/typed/1?limit=x").json["errors"]
    in_body = broken.ask("POST", "/body", body=b'{"a": "x"}', headers={"Content-Type": "application/json"})

    assert [fault["parameter"] for fault in in_query] == ["limit"]
    assert [fault["path"] for fault in in_body.json["errors"]] == ["a"]


def test_a_method_that_cannot_be_used_says_which_can(broken: Client) -> None:
    assert broken.ask("DELETE", "/refused").headers["allow"] == "GET, HEAD"


def test_a_database_that_does_not_answer_says_when_to_ask_again(broken: Client) -> None:
    assert broken.get("/unreachable").headers["retry-after"] == "5"


def test_what_was_unforeseen_says_nothing_but_where_the_log_has_it(
    broken: Client, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    answer = broken.get("/unforeseen")

    assert (answer.status, answer.code) == (500, "internal-error")
    assert "secret" not in answer.text
    assert answer.json["id"] in answer.json["detail"]
    logged = capsys.readouterr()  # where to, the process decides, or a test before this one
    assert answer.json["id"] in logged.out + logged.err + caplog.text


def test_text_of_a_client_is_repeated_up_to_a_length() -> None:
    assert quoted("x") == "'x'"
    assert len(quoted("x" * 100_000)) < 300
