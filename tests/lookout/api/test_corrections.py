"""A correction is kept with its author and all evidence, shown where the failure is, and exported to judge rules by."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update

from agent.console.inputs import Input
from agent.evaluate.labelled import read_labelled
from agent.lookout.query import corrections as corrections_query
from agent.lookout.query.reader import Reader
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.recording import record
from agent.lookout.store.tables import correction_table, failure_table, log_table, run_table
from agent.store.store import Store
from tests.lookout.api.serving import Client, empty_store, served
from tests.lookout.query.test_histories import STORY
from tests.store.events import START

PATH = "/api/v1/corrections"
BODY = {"failureId": "a0", "category": "gpu", "subcategory": "lost", "origin": "infra", "reason": "Xid 79 in the log"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with empty_store(tmp_path) as opened:
        with opened.write() as connection:
            record(connection, STORY)
        yield opened


@pytest.fixture
def client(store: Store) -> Iterator[Client]:
    with served(store) as found:
        yield found


def shown(client: Client, path: str) -> list[Any]:
    found: list[Any] = client.get(f"/api/v1/{path}").json["corrections"]
    return found


def test_a_correction_is_shown_with_its_author(client: Client) -> None:
    made = client.post(PATH, BODY, failure_agent_user="J%C3%B6rg%0A")

    assert made.status == 201
    assert {name: made.json[name] for name in ("by", "runId", "jobId", "category", "origin", "retryable")} == {
        "by": "Jörg",
        "runId": "run-0",
        "jobId": "job-1",
        "category": "gpu",
        "origin": "infra",
        "retryable": None,
    }
    assert made.json["saidCategory"] == "oom"
    assert shown(client, "jobs/job-1") == shown(client, "runs/run-0") == [made.json]
    assert client.get(f"{PATH}?runId=run-0").json["items"] == [made.json]
    assert client.get(f"{PATH}?runId=run-1").json["items"] == []


def test_the_last_word_on_a_failure_is_exported_as_evaluate_reads_it(client: Client, tmp_path: Path) -> None:
    client.post(PATH, {**BODY, "category": "memory", "retryable": True})
    client.post(PATH, {**BODY, "failureId": "e0"})
    client.post(PATH, {**BODY, "failureId": "x0", "subcategory": None, "origin": "user", "retryable": False})
    answer = client.get(f"{PATH}/export")
    file = tmp_path / "corrected.jsonl"
    file.write_bytes(answer.body)
    first, second = read_labelled([Input(path=file)])

    assert answer.headers["content-type"] == "application/x-ndjson"
    assert (first.name, first.label.leaf, first.label.origin, first.label.retryable) == (
        "e0",
        "gpu/lost",
        "infra",
        None,
    )
    assert (second.name, second.label.leaf, second.label.retryable) == ("x0", "gpu", False)
    assert [tail.text for tail in first.subject.log_tails] == ["first\nCUDA error\n"]
    assert first.subject.name == "jobs/pod-run-0"


@pytest.mark.parametrize("named", ["e0", "a0"])
def test_a_correction_of_what_amends_a_failure_is_one_of_the_failure(client: Client, named: str) -> None:
    made = client.post(PATH, {**BODY, "failureId": named})
    (line,) = client.get(f"{PATH}/export").body.splitlines()

    assert made.json["failureId"] == client.get("/api/v1/runs/run-0").json["failureId"] == "e0"
    assert json.loads(line)["logs"] == [{"container": "main", "text": "first\nCUDA error\n", "previous": False}]


def test_corrections_outlive_the_failure(client: Client, store: Store) -> None:
    client.post(PATH, BODY)
    with store.write() as connection:
        for table in (run_table, failure_table, log_table):
            connection.execute(delete(table))

    (line,) = client.get(f"{PATH}/export").body.splitlines()
    assert json.loads(line)["labels"]["category"] == "gpu/lost"


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"failureId": "none"}, "no-such-failure", None),
        ({"category": ""}, "invalid-request", "category"),
        ({"category": "a/b"}, "invalid-request", "category"),
        ({"category": "a\x00b"}, "invalid-request", "category"),
        ({"origin": "somebody"}, "invalid-request", "origin"),
        ({"reason": "x" * 1_001}, "invalid-request", "reason"),
        ({"by": "ann"}, "invalid-request", "by"),
    ],
)
def test_what_is_no_correction_is_refused(client: Client, change: dict[str, str], code: str, path: str | None) -> None:
    answer = client.post(PATH, {**BODY, **change})

    assert answer.code == code
    assert path in [None, *(fault["path"] for fault in answer.json["errors"])]
    assert client.get(PATH).json["items"] == []


@pytest.mark.parametrize("text", ["   ", "\u202e\u202d", " \u200f\u2066 ", "\u200b", "\u2028", "\u3000"])
@pytest.mark.parametrize("field", ["category", "subcategory", "reason"])
def test_a_text_that_nobody_can_read_is_refused(client: Client, field: str, text: str) -> None:
    answer = client.post(PATH, {**BODY, field: text})

    assert (answer.status, answer.code) == (400, "invalid-request")
    (fault,) = answer.json["errors"]
    assert (fault["path"], fault["message"]) == (field, "it has no visible character")
    assert fault["fix"].startswith("write ")
    assert client.get(PATH).json["items"] == []


@pytest.mark.parametrize("field", ["category", "subcategory"])
def test_a_name_that_looks_like_another_is_refused(client: Client, field: str) -> None:
    answer = client.post(PATH, {**BODY, field: "oom\u202e"})
    (fault,) = answer.json["errors"]

    assert (answer.status, fault["path"]) == (400, field)
    assert fault["message"] == r"'oom\u202e' has a character that is not visible"


def test_a_reason_may_have_lines_and_any_script(client: Client) -> None:
    reason = "Xid 79:\n\tGPU \u05d0\u200f lost"

    assert client.post(PATH, {**BODY, "reason": reason}).json["reason"] == reason


def test_an_author_of_spaces_is_not_known(client: Client) -> None:
    assert client.post(PATH, BODY, failure_agent_user="%20%20").json["by"] == "unknown"


def pages(client: Client, query: str) -> list[list[Any]]:
    """All pages, one after the other, as their ``next`` leads to them."""
    found, after = [], ""
    while True:
        answer = client.get(f"{PATH}?{query}{after}").json
        found.append([item["correctionId"] for item in answer["items"]])
        if answer["next"] is None:
            return found
        after = f"&after={answer['next']}"


def test_corrections_are_read_in_pages(client: Client) -> None:
    made = [client.post(PATH, {**BODY, "failureId": ("a0", "x0")[number % 2]}).json for number in range(7)]
    latest_first = [correction["correctionId"] for correction in reversed(made)]
    of_run = [correction["correctionId"] for correction in reversed(made) if correction["runId"] == "run-x"]

    assert pages(client, "limit=3") == [latest_first[:3], latest_first[3:6], latest_first[6:]]
    assert pages(client, "limit=7") == [latest_first]
    assert pages(client, "runId=run-x&limit=2") == [of_run[:2], of_run[2:]]


def test_a_page_follows_one_that_has_the_same_time(client: Client, store: Store) -> None:
    for _ in range(3):
        client.post(PATH, BODY)
    with store.write() as connection:
        connection.execute(update(correction_table).values(at=START))

    ids = [correction for page in pages(client, "limit=1") for correction in page]
    assert ids == sorted(set(ids), reverse=True)
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("of", "query"), [("", "runId=run-0&"), ("runId=run-0&", ""), ("runId=run-x&", "runId=run-0&")]
)
def test_a_cursor_of_other_corrections_is_refused(client: Client, of: str, query: str) -> None:
    for failure in ("a0", "a0", "x0", "x0"):
        client.post(PATH, {**BODY, "failureId": failure})
    after = client.get(f"{PATH}?{of}limit=1").json["next"]
    answer = client.get(f"{PATH}?{query}after={after}")

    assert (answer.status, answer.code) == (400, "invalid-request")
    assert answer.json["errors"][0]["fix"] == "ask with the same parameters, or leave it out"


@pytest.mark.parametrize("after", ["", "junk", "WyJhIixbMF0sW11d"])
def test_what_is_no_cursor_is_refused(client: Client, after: str) -> None:
    answer = client.get(f"{PATH}?after={after}")

    assert (answer.status, answer.json["errors"][0]["parameter"]) == (400, "after")


def test_very_many_corrections_are_exported(client: Client) -> None:
    for number in range(120):
        client.post(PATH, {**BODY, "reason": str(number), "failureId": ("a0", "e0", "x0")[number % 3]})

    lines = [json.loads(line) for line in io.BytesIO(client.get(f"{PATH}/export").body)]
    assert [(line["id"], line["why"]) for line in lines] == [("e0", "118"), ("x0", "119")]


@pytest.mark.parametrize("at_once", [1, 2, 3, 4])
def test_an_export_is_sent_in_parts_as_it_is_read(
    client: Client, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(corrections_query, "_AT_ONCE", at_once)
    for failure in ("x0", "a0", "x0", "e0"):
        client.post(PATH, {**BODY, "failureId": failure})
    answer = client.get(f"{PATH}/export")

    assert [json.loads(line)["id"] for line in answer.body.splitlines()] == ["e0", "x0"]
    assert answer.headers["transfer-encoding"] == "chunked"


def test_what_is_said_while_an_export_is_read_gives_no_second_line(
    client: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections_query, "_AT_ONCE", 1)
    after: str | None = corrections_query.FIRST
    found = []
    while after is not None:
        for failure in ("e0", "x0"):
            client.post(PATH, {**BODY, "failureId": failure})
        with Reader(store).reading(EVERYTHING) as reading:
            lines, after = corrections_query.labelled(reading, after=after)
        found += [line["id"] for line in lines]

    assert found == ["e0", "x0"]


def test_an_export_without_corrections_is_empty(client: Client) -> None:
    answer = client.get(f"{PATH}/export")

    assert (answer.status, answer.body) == (200, b"")


def test_an_export_that_the_database_does_not_answer_says_so(client: Client, store: Store) -> None:
    with store.write() as connection:
        connection.exec_driver_sql("DROP TABLE correction")

    assert client.get(f"{PATH}/export").code == "database-unavailable"
