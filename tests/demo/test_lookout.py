"""What the demo's Lookout stored of every run, and of a job that fails in a known way, when the clusters are gone."""

import json
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import RowMapping, Table, select

from agent.broker.port import Broker
from agent.broker.topics import events_topic
from agent.core.failure import Failure, Occurrence
from agent.core.lifecycle.state import FINAL
from agent.core.run_event import RunEvent
from agent.demo.layout import CLUSTERS, Layout
from agent.lookout.store import failures
from agent.lookout.store.opening import attach_store
from agent.lookout.store.tables import cluster_table, decision_table, job_table
from agent.lookout.store.tables import run_table as job_run
from agent.manifests.submission.read import read_submissions
from agent.store.store import Store
from agent.store.submitted.tables import run_table
from agent.store.tables.failures import table as failure
from agent.store.tables.verdicts import table as verdict
from agent.wire.events import decode_any
from tests.demo.ended import GROUP, Shown
from tests.lookout.process import LookoutProcess, assert_counted, retained, write_settings
from tests.scheduler.path import Place, message, publish, wait_until
from tests.store.events import failed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),  # the demo waits until all jobs have ended
    pytest.mark.xdist_group(GROUP),
]

CLUSTER = "gpu-east"
TOPIC = events_topic(CLUSTER)
LOGGED = "step 1: loss 2.31\nloading shard 7 into memory\n"


def test_every_run_is_stored_as_it_was_decided(wide: Shown) -> None:
    layout = Layout(folder=wide.files)
    with attach_store(layout.lookout_url) as store:
        assert looked_up(store) == outcomes(layout)
        with store.read() as connection:
            states = connection.scalars(select(job_table.c.state)).all()
            clusters = connection.scalars(select(cluster_table.c.cluster)).all()
        assert_counted(store)

    assert len(states) == len(read_submissions(layout.jobs.read_text(), file="jobs.yaml").value_or_raise())
    assert {*states} <= FINAL
    assert {*clusters} == {*CLUSTERS}
    assert any(line.startswith(f"Lookout stored the same: {len(states)} jobs, ") for line in wide.lines)


Decided = dict[str, tuple[object, ...]]
"""Of each run that failed, by its id: attempt, category, subcategory, origin and verdict."""


def outcomes(layout: Layout) -> Decided:
    """As the scheduler's store has them."""
    found = ("category", "subcategory", "origin")
    query = (
        select(verdict.c.run_id, run_table.c.attempt, *(failure.c[name] for name in found), verdict.c.action)
        .join(failure, verdict.c.event_id == failure.c.event_id)
        .join(run_table, run_table.c.run_id == verdict.c.run_id)
    )
    with Store.attach(layout.store_url) as store, store.read() as connection:
        return {run_id: tuple(rest) for run_id, *rest in connection.execute(query)}


def looked_up(store: Store) -> Decided:
    """As Lookout has them."""
    names = ("run_id", "attempt", "category", "subcategory", "origin", "verdict")
    query = select(*(job_run.c[name] for name in names)).where(job_run.c.verdict != "")
    with store.read() as connection:
        return {run_id: tuple(rest) for run_id, *rest in connection.execute(query)}


def job_that_plays(script: str, layout: Layout) -> str:
    """The first job whose run failed so."""
    played = map(json.loads, layout.record(CLUSTER).read_text().splitlines())
    job_id: str = next(row["job_id"] for row in played if row["script"] == script)
    return job_id


def of_job(store: Store, table: Table, job_id: str, *, by: str) -> Sequence[RowMapping]:
    with store.read() as connection:
        return connection.execute(select(table).where(table.c.job_id == job_id).order_by(table.c[by])).mappings().all()


def test_each_attempt_has_its_reason_and_the_verdict_before_the_next(wide: Shown) -> None:
    layout = Layout(folder=wide.files)
    job_id = job_that_plays("oom", layout)
    with attach_store(layout.lookout_url) as store:
        *ended, last = of_job(store, job_run, job_id, by="index")
        decisions = of_job(store, decision_table, job_id, by="sequence")

    columns = ("attempt", "category", "subcategory", "origin", "reason", "container", "exit_code", "verdict", "rule")
    assert [tuple(run[name] for name in columns) for run in ended] == [
        (number, "oom", "host-memory", "user", "OOMKilled", "main", 137, "retry", "more-memory")
        for number in range(len(ended))
    ]
    assert len(ended) > 1
    assert (last["state"], last["category"], last["verdict"]) == ("succeeded", "", "")
    assert [(row["run_id"], row["action"]) for row in decisions] == [(run["run_id"], "retry") for run in ended]
    times = [
        (run["failed_at"], row["decided_at"], following["leased_at"])
        for run, row, following in zip(ended, decisions, [*ended[1:], last], strict=True)
    ]
    assert all(failed_at <= decided_at <= leased_at for failed_at, decided_at, leased_at in times)


def test_the_log_and_the_pod_of_each_attempt_outlive_it(wide: Shown) -> None:
    layout = Layout(folder=wide.files)
    job_id = job_that_plays("oom", layout)
    with attach_store(layout.lookout_url) as store:
        *ended, _ = of_job(store, job_run, job_id, by="index")
        told = [whole for run in ended for whole in stored(store, run["run_id"]).values()]

    assert len(told) == len(ended) == len({run["pod_uid"] for run in ended})
    for whole in told:
        (container,) = whole.pod.containers
        assert container.ended is not None
        assert (container.name, container.ended.exit_code, container.ended.reason) == ("main", 137, "OOMKilled")
        assert [(tail.container, tail.text) for tail in whole.log_tails] == [("main", LOGGED)]
        assert whole.node is not None
        assert whole.events


def test_a_deletion_that_is_reported_later_replaces_no_reason(wide: Shown, tmp_path: Path) -> None:
    layout = Layout(folder=shutil.copytree(wide.files, tmp_path / "demo"))
    place = Place(broker_url=f"sqlite:///{layout.log}", store_url=layout.lookout_url)
    with ExitStack() as stack:
        log = stack.enter_context(closing(place.open_log()))
        store = stack.enter_context(attach_store(layout.lookout_url))
        reported = first_failure(log)
        before = why(store, reported.identity.run_id)
        deletions = [deleted(reported, after) for after in (-60, 60)]
        publish(log, [message(deletion) for deletion in deletions], topic=TOPIC)
        process = LookoutProcess(write_settings(tmp_path, place), log=tmp_path / "lookout.log")
        stack.callback(process.end)
        late = {deletion.event_id for deletion in deletions}
        wait_until(lambda: late <= stored(store, reported.identity.run_id).keys())
        assert process.terminate() == 0
        assert why(store, reported.identity.run_id) == before
        assert_counted(store)

    assert before["failure_id"] == reported.event_id


def first_failure(log: Broker) -> RunEvent:
    """The first run event about a failure that the topic retains."""
    told = (decode_any(sent.payload) for sent in retained(log, TOPIC))
    return next(found for found in told if isinstance(found, RunEvent) and isinstance(found.event, Failure))


def deleted(reported: RunEvent, after: int) -> RunEvent:
    """The news that somebody deleted the pod, so many seconds after its failure."""
    return replace(
        reported,
        event_id=f"deleted-{after}",
        occurred_at=reported.occurred_at + timedelta(seconds=after),
        event=failed(Occurrence.DELETED_EXTERNALLY, categories=["external"]),
    )


def stored(store: Store, run_id: str) -> dict[str, Failure]:
    with store.read() as connection:
        return failures.read(connection, run_id)


WHY = (
    "failure_id",
    "failed_at",
    "occurrence",
    "category",
    "subcategory",
    "origin",
    "exit_code",
    "container",
    "reason",
    "verdict",
    "hour",
)


def why(store: Store, run_id: str) -> RowMapping:
    """What Lookout says of why a run failed."""
    with store.read() as connection:
        query = select(*(job_run.c[name] for name in WHY)).where(job_run.c.run_id == run_id)
        return connection.execute(query).mappings().one()
