"""What an id means that is not of the kind that was asked for."""

from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Select

from agent.core.job_event import JobSubmitted
from agent.core.lifecycle.state import State
from agent.core.run_event import RunPhase
from agent.lookout.query.meant import MOST, meant_by
from agent.lookout.query.reader import Reader
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.query.test_plans import plan
from tests.lookout.store.test_jobs import job_event
from tests.store.events import event, failed

SUBMITTED = job_event(1, JobSubmitted(client_id="nightly"), State.QUEUED)
STORY: tuple[Entry, ...] = (
    SUBMITTED,
    replace(SUBMITTED, event_id="j-later", job_id="job-2", at=SUBMITTED.at.replace(hour=13)),
    event("e0", failed(), run="run-0", job="job-1", after=5),
    event("e1", RunPhase.RUNNING, run="run-1", job="job-1", after=60),
)


def meant(database: Store, text: str, *story: Entry) -> list[dict[str, Any]]:
    """What a text means after this happened."""
    with database.write() as connection:
        record(connection, story)
    with Reader(database).reading(EVERYTHING) as reading:
        return meant_by(reading, text)


def named(found: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    return [(known["knownAs"], known["jobId"], known["runId"]) for known in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("job-1", [("job id", "job-1", None)]),
        ("nightly", [("client id", "job-2", None), ("client id", "job-1", None)]),
        ("run-0", [("run id", "job-1", "run-0")]),
        ("e0", [("failure id", "job-1", "run-0")]),
        ("pod-run-1", [("pod name", "job-1", "run-1")]),
        ("night", []),
        ("", []),
    ],
)
def test_an_id_is_found_by_all_that_it_may_be_of(
    database: Store, text: str, expected: list[tuple[str, str, str | None]]
) -> None:
    assert named(meant(database, text, *STORY)) == expected


def test_of_a_name_that_many_have_one_more_is_found_than_is_named(database: Store) -> None:
    many = [event(f"e{number}", RunPhase.RUNNING, run=f"r{number}", job=f"j{number}") for number in range(MOST + 5)]
    pods = [replace(told, pod=replace(told.pod, name="main-0")) for told in many]

    assert len(meant(database, "main-0", *pods)) == MOST + 1


def test_each_is_read_by_an_index(database: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    if database.dialect != "sqlite":
        pytest.skip("Postgres reads an empty table whole, whatever indexes it has")
    lines: list[str] = []

    def planned(statement: Select[Any]) -> list[Any]:
        lines.extend(plan(connection, statement))
        return []

    with Reader(database).reading(EVERYTHING) as reading, database.read() as connection:
        monkeypatch.setattr(reading, "rows", planned)
        meant_by(reading, "x")

    assert len(lines) >= 5
    assert [line for line in lines if line.startswith("SCAN")] == []
