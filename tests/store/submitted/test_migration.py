"""A store of an earlier revision keeps all it has, and takes submitted jobs."""

from pathlib import Path

from sqlalchemy import Connection, Table, select

from agent.core.run_event import RuleSetLoaded, RunPhase
from agent.store import failures, jobs, resources, rule_sets, runs, verdicts
from agent.store.columns import Row
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.submitted.held import load
from agent.store.submitted.rows import run_row
from agent.store.submitted.tables import run_table as submitted_run_table
from agent.store.tables.failures import detail_table, info_table
from agent.store.tables.failures import table as failure_table
from agent.store.tables.jobs import table as job_table
from agent.store.tables.runs import table as run_table
from agent.store.tables.verdicts import table as verdict_table
from tests.core.lifecycle.made import play
from tests.store.databases import new_store
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import START, event
from tests.store.submitted.made import new_job, submit
from tests.store.test_details import CPU, with_details
from tests.store.test_details import arrived as detailed
from tests.store.test_rows import arrived, verdict

THEN = (
    failure_table,
    info_table,
    detail_table,
    job_table,
    run_table,
    verdict_table,
    resources.table,
    resources.history,
    rule_sets.table,
)


TWO_RUNS = ("0 leased r0 confirmed", "1 created r0 u0", "2 failed u0 retry confirmed", "99 leased r1 confirmed")


def fill(connection: Connection) -> None:
    """Every table of that revision, but the one of failed attempts, which forgets."""
    there = [*(arrived(name, run=f"run-{name}") for name in "bc"), detailed("a", with_details(CPU))]
    failures.store_new(connection, there, stored_at=START)
    decided = [verdict(f"run-{name}")[1] for name in "ab"]
    failures.store_new(connection, [arrived(f"run-{name}", run=f"run-{name}") for name in "ab"], stored_at=START)
    verdicts.insert(connection, decided)
    recorded = runs.record(connection, [ReceivedEvent(event=one.event) for one in there])
    jobs.record(connection, recorded.rows, began=recorded.began, events=[one.event for one in there], arrivals=there)
    loaded = RuleSetLoaded(
        event_id="e", cluster_id="c", cluster="east", revision="r", categories=("oom",), loaded_at=START
    )
    rule_sets.record(connection, [loaded])
    new = resources.NewVersion(
        kind="queue", name="ml", uid="u", text="{}", change=resources.Change.CREATED, at=START, by="ann"
    )
    resources.write(connection, new)


def contents(connection: Connection) -> dict[str, list[Row]]:
    return {table.name: rows_of(connection, table) for table in THEN}


def rows_of(connection: Connection, table: Table) -> list[Row]:
    query = select(table).order_by(*table.primary_key)
    return [dict(row) for row in connection.execute(query).mappings()]


def test_a_store_of_before_keeps_everything_and_takes_submitted_jobs(store_url: str, tmp_path: Path) -> None:
    (made_in := tmp_path / "made").mkdir()
    with Store.open(new_store(made_in)) as made, made.write() as connection:
        fill(connection)
        before = contents(connection)
    with earlier(store_url, "0008") as connection:
        for table in THEN:
            insert_earlier(connection, table, before[table.name])

    with Store.open(store_url) as store, store.write() as connection:
        submit(connection, new_job("j"))

        assert contents(connection) == before
        assert load(connection, ["j"]).keys() == {"j"}
    assert all(before.values())


def test_a_run_of_before_has_the_name_that_was_reported_of_its_pod_else_the_one_that_was_asked_for(
    store_url: str,
) -> None:
    with earlier(store_url, "0009") as connection:
        submit(connection, new_job("j"))
        job, _ = play(*TWO_RUNS)
        insert_earlier(connection, submitted_run_table, [run_row("j", *each) for each in enumerate(job.runs)])
        runs.record(connection, [ReceivedEvent(event=event("e", RunPhase.RUNNING, run="r0", job="j"))])

    with Store.open(store_url) as store, store.read() as connection:
        named = [run.pod_name for run in load(connection, ["j"])["j"].job.runs]
    assert named == ["pod-r0", "armada-j-0-1"]
