"""What the rows of jobs, requests, clusters and rules say."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agent.core.failure import Origin
from agent.core.heartbeat import Heartbeat, NodeShape, RunOffer
from agent.core.job_event import JobContent, JobEvent, JobRequested, JobSubmitted, RequestKind, StateChanged
from agent.core.lifecycle.job import EndedBy, Ending
from agent.core.lifecycle.state import State
from agent.core.run_event import LoadedRule, RuleSetLoaded, RunPhase
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import record
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.store.databases import contents
from tests.store.events import START, event

ENDED = Ending(state=State.CANCELLED, by=EndedBy.CANCEL, at=START + timedelta(seconds=3))


def job_event(sequence: int, content: JobContent, state: State, ending: Ending | None = None) -> JobEvent:
    return JobEvent(
        event_id=f"j{sequence}",
        job_id="job-1",
        sequence=sequence,
        at=START + timedelta(seconds=sequence),
        event=content,
        queue="ml",
        job_set="set",
        owner="ann",
        namespace="jobs",
        state=state,
        ending=ending,
    )


def rows(database: Store, table: str, *batch: Entry) -> list[Row]:
    """The rows of a table after one message after the other."""
    for entry in batch:
        with database.write() as connection:
            record(connection, [entry])
    with database.read() as connection:
        return contents(connection)[table]


def said(row: Row, *names: str) -> list[object]:
    return [row[name] for name in names]


STORY = (
    job_event(1, JobSubmitted(name="train", client_id="c-1", priority=2.5, retry_policies="p"), State.QUEUED),
    job_event(2, JobRequested(kind=RequestKind.CANCEL, by="bob", reason="wrong image"), State.CANCELLED, ENDED),
    event("e1", RunPhase.PENDING, after=60),
)


@pytest.mark.parametrize("story", [STORY, STORY[::-1]])
def test_a_job_has_what_was_submitted_and_the_state_of_its_last_event(
    database: Store, story: tuple[Entry, ...]
) -> None:
    (row,) = rows(database, "job", *story)

    assert said(row, "job_id", "queue", "job_set", "owner", "namespace") == ["job-1", "ml", "set", "ann", "jobs"]
    assert said(row, "name", "client_id", "priority", "retry_policies") == ["train", "c-1", 2.5, "p"]
    assert said(row, "state", "sequence", "ended_by", "ended_at") == ["cancelled", 2, "cancel", ENDED.at]
    assert row["first_at"] == row["submitted_at"] == START + timedelta(seconds=1)


def test_who_asked_for_what_is_kept(database: Store) -> None:
    (row,) = rows(database, "job_request", *STORY, *STORY)

    assert said(row, "kind", "by", "reason", "refused") == ["cancel", "bob", "wrong image", ""]


def test_a_job_that_is_opened_again_has_no_end(database: Store) -> None:
    opened = job_event(3, StateChanged(), State.QUEUED)
    (row,) = rows(database, "job", opened, *STORY)

    assert said(row, "state", "ended_by", "ended_at") == ["queued", None, None]


def test_a_job_that_nobody_submitted_has_a_row_without_a_state(database: Store) -> None:
    (row,) = rows(database, "job", event("e1", RunPhase.RUNNING))

    assert said(row, "job_id", "queue", "namespace", "state", "submitted_at") == ["job-1", "ml", "jobs", None, None]


def heartbeat(number: int, *, after: float | None, epoch: int = 1) -> Heartbeat:
    return Heartbeat(
        cluster_id="uid",
        cluster="east",
        epoch=epoch,
        incarnation=f"pod-{number}",
        spool_id="s",
        last_spooled=2**40 + number,
        last_acknowledged=2**40,
        node_shapes=(NodeShape(allocatable=(("cpu", "8"),), ready=2, total=3),),
        sent_at=None if after is None else START + timedelta(seconds=after),
        runs=RunOffer(namespaces=("jobs",), max_runs=5),
    )


def rules(revision: str, *names: str, after: float = 0) -> RuleSetLoaded:
    return RuleSetLoaded(
        event_id=revision,
        cluster_id="uid",
        cluster="east",
        revision=revision,
        categories=("oom",),
        loaded_at=START + timedelta(seconds=after),
        rules=tuple(
            LoadedRule(name=name, pack="base", category="oom", rule_index=index, subcategory="", origin=Origin.USER)
            for index, name in enumerate(names)
        ),
        rules_left_out=7,
    )


def test_a_cluster_has_its_latest_heartbeat_and_rules(database: Store) -> None:
    later: list[Entry] = [heartbeat(2, after=5, epoch=2), rules("v2", "a", after=9)]
    (row,) = rows(database, "cluster", *later, heartbeat(9, after=None), heartbeat(1, after=1), rules("v1"))

    assert said(row, "cluster", "incarnation", "epoch", "takes_runs") == ["east", "pod-2", 2, True]
    assert row["last_spooled"] - row["last_acknowledged"] == 2
    assert row["node_shapes"] == [{"allocatable": [["cpu", "8"]], "ready": 2, "total": 3}]
    assert said(row, "rules_revision", "rules_left_out") == ["v2", 7]


def test_the_rules_of_each_revision_are_kept_once(database: Store) -> None:
    found = rows(database, "rule", rules("v1", "a"), rules("v2", "a", "b"), rules("v1", "a"))

    assert [said(row, "revision", "name", "rule_index", "origin") for row in found] == [
        ["v1", "a", 0, "user"],
        ["v2", "a", 0, "user"],
        ["v2", "b", 1, "user"],
    ]


def test_a_heartbeat_without_a_time_can_be_read_in_any_time_zone(database: Store) -> None:
    with database.write() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL TIME ZONE 'America/New_York'"))
        record(connection, [heartbeat(1, after=None)])

        (row,) = contents(connection)["cluster"]
    assert row["incarnation"] == "pod-1"
