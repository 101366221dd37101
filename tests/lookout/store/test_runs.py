"""What the row of a run says."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from agent.core.evidence import LogTail
from agent.core.failure import Failure, Occurrence, Origin
from agent.core.job_event import JobContent, JobEvent, RunDecided, RunLeased
from agent.core.limit import VerdictAction
from agent.core.run_event import Amendment, CreationFailed, RunPhase, RunRejected
from agent.lookout.store import failures, horizon, rollups
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import Recorded, record
from agent.store.store import Store
from tests.lookout.store.databases import contents, run_row
from tests.store.events import START, event, failed

HOUR = START
OOM = failed(origin="user", subcategory="limit")
DELETED = failed(Occurrence.DELETED_EXTERNALLY, categories=["none"])


def job_event(number: int, content: JobContent, *, after: float = 0) -> JobEvent:
    return JobEvent(
        event_id=f"j{number}",
        job_id="job-1",
        sequence=number,
        at=START + timedelta(seconds=after),
        event=content,
        queue="ml",
        owner="ann",
        namespace="jobs",
    )


def counts(database: Store) -> list[tuple[str, int, int]]:
    """The counts by hour: category, runs and failures."""
    with database.read() as connection:
        return [(row["category"], row["runs"], row["failures"]) for row in contents(connection)["rollup_hour"]]


def put(database: Store, *batch: Entry) -> Recorded:
    with database.write() as connection:
        return record(connection, batch)


def test_a_failed_run_has_what_people_filter_by(database: Store) -> None:
    added = put(database, event("e1", RunPhase.RUNNING, attempt=2), event("e2", OOM, attempt=2, after=60))

    assert added == Recorded(runs=1, failures=1)
    with database.read() as connection:
        row = run_row(connection)
    expected = {
        "state": "failed",
        "category": "oom",
        "subcategory": "limit",
        "origin": "user",
        "exit_code": 137,
        "container": "main",
        "reason": "OOMKilled",
        "key_line": "last words",
        "attempt": 2,
        "queue": "ml",
        "cluster": "east",
        "node": "node-1",
        "namespace": "jobs",
        "pod_name": "pod-run-1",
        "job_id": "job-1",
        "running_at": START,
        "failed_at": START + timedelta(seconds=60),
        "hour": HOUR,
        "sanitized": [],
        "failure_id": "e2",
        "occurrence": "pod-failed",
        "verdict": "",
        "decided_at": None,
    }
    assert {name: row[name] for name in expected} == expected


def test_what_the_scheduler_decided_is_in_the_row_of_the_run_and_in_its_own(database: Store) -> None:
    leased = RunLeased(run_id="run-1", index=0, attempt=1, cluster_id="c", cluster="east", pod_name="pod-run-1")
    decided = RunDecided(
        run_id="run-1",
        attempt=1,
        failure_id="e2",
        action=VerdictAction.RETRY,
        reason="rule",
        sentence="Rule 1 of p grants a retry.",
        policy="p",
        rule="oom",
        delay=timedelta(seconds=30),
        avoid_nodes=("node-1",),
    )
    put(database, job_event(1, leased), event("e2", OOM), job_event(2, decided, after=5))

    with database.read() as connection:
        row, (decision,) = run_row(connection), contents(connection)["retry_decision"]
    assert (row["verdict"], row["policy"], row["rule"], row["owner"]) == ("retry", "p", "oom", "ann")
    assert (row["leased_at"], row["decided_at"]) == (START, START + timedelta(seconds=5))
    assert (decision["delay_seconds"], decision["avoid_nodes"]) == (30.0, ["node-1"])
    assert decision["sentence"] == "Rule 1 of p grants a retry."


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_deletion_never_overwrites_the_reason(database: Store, order: tuple[int, int]) -> None:
    # Also if the deletion is said to have come first: clocks of two observers differ.
    reports = (event("e1", OOM, after=10), event("e2", DELETED))
    for place in order:
        put(database, reports[place])

    with database.read() as connection:
        row = run_row(connection)
    assert (row["category"], row["failure_id"], row["occurrence"]) == ("oom", "e1", "pod-failed")
    assert [count for count in counts(database) if count[1]] == [("oom", 1, 1)]


def test_a_run_of_which_only_a_deletion_is_known_failed_by_it(database: Store) -> None:
    put(database, event("e1", RunPhase.RUNNING), event("e2", DELETED))

    assert counts(database) == [("none", 1, 1)]


def test_a_run_that_succeeded_was_not_ended_by_the_deletion_of_its_pod(database: Store) -> None:
    put(database, event("e2", DELETED))
    put(database, event("e1", RunPhase.SUCCEEDED))

    with database.read() as connection:
        row = run_row(connection)
        assert contents(connection)["run_category"] == []
    assert (row["state"], row["category"], row["failure_id"]) == ("succeeded", "", None)
    assert [count for count in counts(database) if count[1]] == [("", 1, 0)]


def test_the_restart_of_a_container_is_kept_and_is_no_end(database: Store) -> None:
    put(database, event("e1", failed(Occurrence.CONTAINER_RESTARTED)))

    with database.read() as connection:
        row, kept = run_row(connection), failures.read(connection, "run-1")
    assert (row["state"], row["category"], row["hour"]) == ("running", "", None)
    assert list(kept) == ["e1"]
    assert counts(database) == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_amendment_moves_the_count(database: Store, order: tuple[int, int]) -> None:
    gpu = failed(categories=["gpu", "xid"], origin="infra")
    reports = (event("e1", OOM), event("e2", Amendment(amends="e1", failure=gpu), after=90))
    for place in order:
        put(database, reports[place])

    with database.read() as connection:
        row = run_row(connection)
        named = {found["category"] for found in contents(connection)["run_category"]}
    assert (row["category"], row["origin"], row["failure_id"]) == ("gpu", "infra", "e1")
    assert named == {"gpu", "xid"}
    assert [count for count in counts(database) if count[1]] == [("gpu", 1, 1)]


def test_a_run_that_was_refused_before_it_had_a_pod_failed(database: Store) -> None:
    put(database, event("e1", CreationFailed(reason="Invalid", message="no image")))

    with database.read() as connection:
        row = run_row(connection)
    assert (row["state"], row["reason"], row["key_line"]) == ("failed", "Invalid", "no image")


def test_a_run_that_no_cluster_took_did_not_end(database: Store) -> None:
    put(database, event("e1", RunRejected(reason="Quota", message="too many pods")))

    with database.read() as connection:
        row = run_row(connection)
    assert (row["state"], row["rejection"], row["hour"]) == ("rejected", "Quota: too many pods", None)


def test_failures_are_kept_whole_for_each_attempt(database: Store) -> None:
    whole = {
        "e1": replace(OOM, log_tails=(LogTail(container="main", text="Traceback\nKilled"),)),
        "e2": replace(OOM, classification=replace(OOM.classification, origin=Origin.INFRA)),
    }
    put(database, event("e1", whole["e1"]), event("e2", whole["e2"], run="run-2", attempt=1))

    with database.read() as connection:
        kept: dict[str, Failure] = {**failures.read(connection, "run-1"), **failures.read(connection, "run-2")}
    assert kept == whole


def test_names_too_long_for_an_index_are_cut_and_stay_different(database: Store) -> None:
    long = [event(f"e{end}", OOM, run="\U0001f600" * 5_000 + end, job="ß" * 90_000) for end in "ab"]
    put(database, *(replace(found, cluster="é" * 9_000) for found in long))

    with database.read() as connection:
        rows = contents(connection)["job_run"]
    assert len({row["run_id"] for row in rows}) == 2
    assert all({"cluster", "job_id", "run_id"} <= set(row["sanitized"]) for row in rows)


def test_counts_from_before_the_horizon_are_final(database: Store) -> None:
    old, recent = event("e1", OOM), event("e2", OOM, run="run-2", after=86_400)
    put(database, old, recent)
    with database.write() as connection:
        assert horizon.move(connection, START + timedelta(days=1)) == START.replace(hour=0) + timedelta(days=1)
        assert horizon.move(connection, START) == START.replace(hour=0) + timedelta(days=1)
        before = rollups.stored(connection)

    put(database, event("e3", Amendment(amends="e1", failure=failed(categories=["gpu"]))))
    put(database, event("e4", OOM, run="run-3", after=60))
    with database.write() as connection:
        rollups.rebuild(connection)
        assert rollups.stored(connection) == before
        assert [sum(runs for runs, _ in found.values()) for found in rollups.recount(connection)] == [1, 1, 1]


def test_many_failures_in_a_batch_are_each_stored_whole(database: Store) -> None:
    found = [replace(OOM, log_tails=(LogTail(container="main", text=f"line {number}"),)) for number in range(401)]
    sent = [event(f"e{number:03}", failure, run=f"run-{number:03}") for number, failure in enumerate(found)]
    put(database, *sent)

    with database.read() as connection:
        (last,) = failures.read(connection, "run-400").values()
        stored = contents(connection)
    assert last == sent[-1].event
    assert [row["tails"][0].text for row in stored["run_log"]] == [f"line {number}" for number in range(401)]
    assert len(stored["run_failure"]) == 401
