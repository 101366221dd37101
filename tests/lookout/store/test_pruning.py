"""Which rows go, and that nobody who stores waits for more than one small transaction."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from msgspec.structs import replace
from sqlalchemy import text

from agent.core.evidence import LogTail
from agent.core.failure import Failure, Occurrence, Origin
from agent.core.heartbeat import Heartbeat
from agent.core.job_event import JobEvent, JobRequested, RequestKind, RunDecided
from agent.core.limit import VerdictAction
from agent.core.run_event import LoadedRule, RuleSetLoaded, RunEvent, RunPhase
from agent.lookout.store import failures, horizon, rollups
from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import open_store
from agent.lookout.store.pruning import Bounds, OtherPruner, prune
from agent.lookout.store.recording import record
from agent.store.lock import lock_scopes
from agent.store.store import Store
from tests.lookout.store.pruned import counts, deleted, everything, past, recount
from tests.scheduler.path import wait_until
from tests.store.events import START, event, failed

DAY = 86_400
WAITING = text("""
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
    WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted
""")
TAIL = LogTail(container="main", text="Killed")


def failure(revision: str = "v1") -> Failure:
    found = failed()
    by = replace(found.classification, revision=revision)
    return replace(found, classification=by, log_tails=(TAIL,))


def ended(run: str, *, days: float, job: str = "job-1", revision: str = "v1") -> RunEvent:
    return event(f"e-{run}", failure(revision), run=run, job=job, after=days * DAY)


def job_event(number: int, content: JobRequested | RunDecided, *, days: float, job: str = "job-1") -> JobEvent:
    at = START + timedelta(days=days)
    return JobEvent(event_id=f"j{number}", job_id=job, sequence=number, at=at, event=content)


def decided(run: str) -> RunDecided:
    return RunDecided(
        run_id=run, attempt=0, failure_id=f"e-{run}", action=VerdictAction.RETRY, reason="rule", sentence="So."
    )


def loaded(cluster: str, revision: str, *, days: float) -> RuleSetLoaded:
    rule = LoadedRule(name="n", pack="p", category="oom", rule_index=0, subcategory="", origin=Origin.USER)
    return RuleSetLoaded(
        event_id=f"{cluster} {revision}",
        cluster_id=cluster,
        cluster=cluster,
        revision=revision,
        categories=("oom",),
        loaded_at=START + timedelta(days=days),
        rules=(rule,),
    )


def heartbeat(cluster: str, *, days: float) -> Heartbeat:
    return Heartbeat(
        cluster_id=cluster,
        cluster=cluster,
        epoch=1,
        incarnation="i",
        spool_id="s",
        last_spooled=1,
        last_acknowledged=1,
        sent_at=START + timedelta(days=days),
    )


def put(database: Store, entries: Iterable[Entry]) -> None:
    with database.write() as connection:
        record(connection, list(entries))


def names(database: Store, table: str, column: str) -> list[str]:
    return [row[column] for row in everything(database)[table]]


def test_a_job_of_which_nothing_was_heard_goes_with_all_it_has(database: Store) -> None:
    asked = job_event(2, JobRequested(kind=RequestKind.CANCEL, by="ann"), days=1)
    put(database, [ended("run-1", days=0), ended("run-2", days=1), job_event(1, decided("run-1"), days=0), asked])
    put(database, [event("e-9", RunPhase.RUNNING, run="run-9", job="job-9")])

    assert deleted(database, past(2)) == {
        "run_log": 2,
        "run_failure": 2,
        "run_category": 2,
        "retry_decision": 1,
        "job_run": 3,
        "job_request": 1,
        "job": 2,
    }
    rest = everything(database)
    assert [name for name, rows in rest.items() if rows] == ["rollup_hour", "rollup_day", "rollup_node_day", "horizon"]


def test_a_job_of_which_something_was_heard_keeps_each_attempt(database: Store) -> None:
    put(database, [ended("run-1", days=0), job_event(1, decided("run-1"), days=0), ended("run-2", days=50)])
    before = everything(database)

    assert deleted(database, past(40, logs=-1), Bounds(kept_runs=2)) == {}
    assert {**everything(database), "horizon": []} == before


def test_the_ends_of_logs_go_first(database: Store) -> None:
    put(database, [ended("run-1", days=0), ended("run-2", days=3)])

    assert deleted(database, past(-90, logs=2)) == {"run_log": 1}
    with database.read() as connection:
        (old,), (recent,) = (failures.read(connection, run).values() for run in ("run-1", "run-2"))
        assert horizon.read(connection) is None
    assert (old.log_tails, old.termination_message, recent.log_tails) == ((), "last words", (TAIL,))


def test_of_a_job_with_too_many_runs_those_go_that_are_past_and_were_heard_of_for_longest_ago(database: Store) -> None:
    put(database, [ended(f"run-{day}", days=day, job="daemon") for day in (0, 1, 2, 5, 6)])

    assert deleted(database, past(4), Bounds(kept_runs=4))["job_run"] == 1
    assert names(database, "job_run", "run_id") == ["run-1", "run-2", "run-5", "run-6"]
    assert deleted(database, past(4), Bounds(kept_runs=1))["job_run"] == 2
    assert names(database, "job_run", "run_id") == ["run-5", "run-6"]
    assert deleted(database, past(4), Bounds(kept_runs=1)) == {}


def test_of_a_run_that_goes_on_failures_go_by_their_own_age(database: Store) -> None:
    restarts = [replace(failure(), occurrence=Occurrence.CONTAINER_RESTARTED)] * 3
    put(database, [event(f"e{day}", told, run="pod", after=day * DAY) for day, told in enumerate(restarts)])

    assert deleted(database, past(2)) == {"run_failure": 2, "run_log": 2}
    assert names(database, "run_failure", "event_id") == names(database, "run_log", "event_id") == ["e2"]
    assert names(database, "job_run", "state") == ["running"]


def test_a_job_that_is_heard_of_meanwhile_keeps_what_it_still_has(database: Store) -> None:
    put(database, [ended(f"run-{number}", days=number) for number in range(4)])
    steps = prune(database, past(10), Bounds(batch=1))
    while not (step := next(steps)).get("job_run"):
        assert step == {"run_log": 1}
    put(database, [event("late", RunPhase.RUNNING, run="run-9", after=20 * DAY)])

    assert list(steps) == []
    assert len(names(database, "job_run", "run_id")) == 4
    assert names(database, "job", "job_id") == ["job-1"]


def test_clusters_go_when_they_are_silent_and_rules_when_nothing_needs_them(database: Store) -> None:
    put(database, [loaded("a", "v1", days=0), loaded("a", "v2", days=1), heartbeat("a", days=9)])
    put(database, [loaded("b", "v3", days=2), loaded("c", "v4", days=2), heartbeat("c", days=1)])
    put(database, [ended("run-1", days=9, revision="v4"), ended("run-2", days=1, revision="v3", job="job-2")])

    assert deleted(database, past(5))["cluster"] == 2
    assert names(database, "cluster", "cluster_id") == ["a"]
    assert names(database, "rule", "revision") == ["v2", "v4"]


def test_the_horizon_moves_only_where_something_is_past_and_never_back(database: Store) -> None:
    put(database, [ended("run-1", days=3)])
    for days, expected in ((2, []), (4, [4]), (1, [4]), (5.5, [4])):
        deleted(database, past(days))
        at = [(row["at"] - START.replace(hour=0)).days for row in everything(database)["horizon"]]
        assert at == expected


def test_who_stores_gets_in_after_each_small_transaction(database: Store) -> None:
    put(database, [ended(f"run-{number}", days=0, job=f"job-{number // 3}") for number in range(40)])
    bounds, batches = Bounds(batch=5), 0
    for step in prune(database, past(2), bounds):
        put(database, [ended(f"new-{batches}", days=3, job=f"new-{batches}")])
        batches += 1
        assert max(step.get(table, 0) for table in ("job", "job_run", "run_failure", "run_log")) <= bounds.batch
        with database.read() as connection:
            assert counts(connection)[1] == recount(connection)

    assert batches >= 2 * 40 / bounds.batch
    assert len(names(database, "job_run", "run_id")) == len(names(database, "run_log", "event_id")) == batches


@pytest.mark.slow
def test_while_another_prunes_or_recounts_nobody_else_does(postgres_store: str) -> None:
    with open_store(postgres_store) as one, open_store(postgres_store) as other:
        put(one, [ended(f"run-{number}", days=0) for number in range(4)])
        with one.write() as connection:
            lock_scopes(connection, [horizon.SCOPE])
            with pytest.raises(OtherPruner):
                deleted(other, past(2))
            rollups.rebuild(connection)

        assert deleted(other, past(2))["job_run"] == 4


@pytest.mark.slow
def test_what_is_heard_while_its_lock_is_waited_for_keeps_a_job(postgres_store: str) -> None:
    with open_store(postgres_store) as one, open_store(postgres_store) as other, ThreadPoolExecutor() as threads:
        put(one, [ended("run-1", days=0)])
        with one.write() as connection:
            record(connection, [event("late", RunPhase.RUNNING, run="run-2", after=20 * DAY)])
            pruned = threads.submit(deleted, other, past(10, logs=-1), Bounds())
            wait_until(lambda: connection.scalar(WAITING) > 0)

        assert sum(pruned.result().values()) == 0
        assert names(one, "job_run", "run_id") == ["run-1", "run-2"]


@pytest.mark.parametrize(("first", "second"), [("job-1", "job-2"), ("job-2", "job-1")])
def test_a_run_whose_events_name_two_jobs_is_kept_while_it_is_heard_of(
    database: Store, first: str, second: str
) -> None:
    running = event("r0", RunPhase.RUNNING, run="run-0", job=first)
    with database.write() as connection:
        record(connection, [running, ended("run-0", job=second, days=40)])
    gone = deleted(database, past(days=20))

    assert "job_run" not in gone
    assert [row["run_id"] for row in everything(database)["job_run"]] == ["run-0"]
    with database.read() as connection:
        assert rollups.differences(connection) == []
