"""One look at a pod is made at one time, and what its owner submitted is worked out once a case."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from agent.broker.eventlog.log import EventLog
from agent.cluster.config.rules import read_rules, rules_file
from agent.cluster.evidence.owners import Owners
from agent.cluster.spool.entries import Report
from agent.cluster.spool.spool import Spool
from agent.cluster.spool.writer import Saved
from agent.cluster.wiring.pipeline import Context, Pipeline, make_pipeline
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.templates import Names
from agent.process.server_clock import ServerClock
from agent.settings.cluster import ClusterSettings
from agent.settings.kube import KubeSettings
from tests.cluster.living import CATEGORIES, eventually, failed

NOW = datetime(2026, 11, 21, tzinfo=UTC)


class Clock(ServerClock):
    """Counts how often it is asked; it is later each time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def __call__(self) -> datetime:
        self.asked += 1
        return NOW + timedelta(seconds=self.asked)


class CountingOwners(Owners):
    """Writes down which pods it is asked for."""

    def __init__(self) -> None:
        super().__init__(age=timedelta(hours=1))
        self.asked: list[str] = []

    def template(self, pod: objects.Pod) -> Names | None:
        self.asked.append(pod.metadata.uid or "")
        return ("main",)


@dataclass(slots=True, kw_only=True)
class Looking:
    clock: Clock
    pipeline: Pipeline
    spool: Spool

    async def see(self, **status: object) -> int:
        """How often the clock is asked when the pod is seen so."""
        before = self.clock.asked
        owner = {"kind": "Job", "uid": "job", "controller": True}
        metadata = {"uid": "u", "name": "a", "namespace": "ml", "ownerReferences": [owner]}
        pod = msgspec.convert({"metadata": metadata, "status": status}, objects.Pod)
        change: Change[objects.Pod, None] = Change(kind=ChangeKind.MODIFIED, uid="u", object=pod, previous=None)
        await self.pipeline.controller.on_pod(change)
        return self.clock.asked - before

    def count_owners(self) -> CountingOwners:
        owners = self.pipeline.gatherer.owners = CountingOwners()
        return owners


@asynccontextmanager
async def looking(folder: Path, **changed: object) -> AsyncIterator[Looking]:
    (folder / "categories.yaml").write_text(CATEGORIES)
    given = {
        "cluster": "east",
        "categories": str(folder / "categories.yaml"),
        "spool": {"path": str(folder / "spool.db")},
        "broker": {"url": f"sqlite:///{folder}/log.db"},
        **changed,
    }
    settings = ClusterSettings.model_validate_json(json.dumps(given))
    spool = Spool.open(settings.spool.path, cluster="east", max_bytes=1 << 30, keep_acknowledged=9)
    rules = read_rules(rules_file(settings), settings.redaction, event_types=settings.watch.event_types)
    broker, clock = EventLog.open(str(folder / "log.db")), Clock()
    try:
        async with await Connection.open(KubeSettings(url="http://127.0.0.1:1")) as connection:
            context = Context(
                settings=settings,
                rules=rules,
                spool=spool,
                broker=broker,
                connection=connection,
                cluster_id="c",
                clock=clock,
            )
            look = Looking(clock=clock, pipeline=make_pipeline(context), spool=spool)
            clock.asked = 0
            yield look
    finally:
        broker.close()
        spool.close()


async def test_a_pod_that_runs_and_then_fails_is_looked_at_once_each(tmp_path: Path) -> None:
    async with looking(tmp_path) as look:
        assert await look.see(phase="Running") == 1
        assert await look.see(**failed(code=137, reason="OOMKilled")) == 1
        assert look.pipeline.writer.waiting() == 2


async def test_a_failure_that_waits_for_events_asks_no_more(tmp_path: Path) -> None:
    async with looking(tmp_path, evidenceWait="2s") as look:
        assert await look.see(**failed(code=3)) == 1
        assert look.pipeline.diagnoser.next() == NOW + timedelta(seconds=3)


async def test_an_event_and_what_is_due_are_looked_at_once(tmp_path: Path) -> None:
    async with looking(tmp_path, evidenceWait="2s") as look:
        await look.see(**failed(code=3))
        about = objects.ObjectReference(kind="Pod", name="a", uid="u")
        event = objects.Event(metadata=objects.Metadata(uid="e"), involvedObject=about, type="Warning", message="m")
        before = look.clock.asked

        await look.pipeline.controller.on_event(Change(kind=ChangeKind.ADDED, uid="e", object=event, previous=None))
        assert look.clock.asked == before + 1

        look.clock.asked = 60
        await look.pipeline.controller.reconcile_due()
        assert look.clock.asked == 61
        assert look.pipeline.diagnoser.next() is None


async def test_what_waits_once_its_log_was_read_is_reported_when_it_is_due_and_not_with_the_next_change(
    tmp_path: Path,
) -> None:
    async with looking(tmp_path, evidenceWait="5s", logTails={"namespaces": ["ml"]}) as look:
        loops = [
            asyncio.create_task(loop)
            for loop in (look.pipeline.controller.requeue_due(), look.pipeline.diagnoser.read_logs())
        ]
        await look.see(**failed(code=3))

        await eventually(lambda: look.pipeline.writer.waiting() == 1)
        for loop in loops:
            loop.cancel()
            with suppress(asyncio.CancelledError):
                await loop


async def test_a_batch_that_is_saved_is_looked_at_once(tmp_path: Path) -> None:
    reports = [
        Report(event_id=name, pod_uid=name, key="k", payload=b"", properties={}, event_time=NOW) for name in "ab"
    ]
    async with looking(tmp_path) as look:
        look.pipeline.controller.saved(Saved(entries=reports, new=frozenset("ab")))
        assert look.clock.asked == 1


@pytest.mark.parametrize("wait", ["0s", "2s"])
async def test_what_was_submitted_is_worked_out_once_a_case(tmp_path: Path, wait: str) -> None:
    async with looking(tmp_path, evidenceWait=wait) as look:
        owners = look.count_owners()
        await look.see(**failed(code=3))
        look.clock.asked = 60
        await look.pipeline.controller.reconcile_due()
        assert owners.asked == ["u"]
