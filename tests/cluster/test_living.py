"""The agent against a simulated cluster: what is reported, once, and when pods are released."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.core.failure import Failure
from agent.core.summary.redaction import Redactor
from agent.kube.finalizer import FINALIZER, HOLD_LABEL
from agent.shipped import shipped
from agent.wire import heartbeat
from tests.cluster.living import Running, eventually, failed, living
from tests.simulator.api import PODS, Json, pod

pytestmark = pytest.mark.slow


async def test_a_failed_pod_is_reported_once_and_then_released(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        await life.create("a")
        await life.fail("a", code=137, reason="OOMKilled")

        assert await life.until_reported(1) == [("a", "pod-failed", "memory")]
        await eventually(lambda: _not(life.is_held("a")))
        assert await life.exists("a")


async def test_what_failed_before_the_agent_came_is_reported_too(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        for name in ("a", "b"):
            await life.create(name)
            await life.fail(name)
        async with life.agent():
            assert await life.until_reported(2) == [("a", "pod-failed", "unknown"), ("b", "pod-failed", "unknown")]


async def test_a_new_process_tells_nothing_again(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent():
            await life.create("a")
            await life.fail("a")
            await life.until_reported(1)
        async with life.agent():
            await life.create("b")
            await life.fail("b")
            await life.until_reported(2)

        assert [name for name, *_ in life.reported()] == ["a", "b"]


async def test_a_pod_is_held_until_the_broker_has_its_failure(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life, life.agent() as running:
        await life.create("a")
        await life.fail("a")
        await running.until_spooled(1)
        await life.delete("a")
        assert await life.is_held("a")

        life.open_log()

        assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]
        await eventually(lambda: _not(life.exists("a")))


async def test_release_spooled_does_not_wait_for_the_broker(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life, life.agent(release="spooled", shutdown="100ms") as running:
        await life.create("a")
        await life.fail("a")

        await eventually(lambda: _not(life.is_held("a")))
        assert running.spool.state().waiting == 2  # the report of the rules too


async def test_a_broker_that_goes_away_and_comes_back_misses_nothing(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent() as running:
        await life.create("a")
        await life.fail("a")
        await life.until_reported(1)
        await eventually(lambda: running.spool.state().waiting == 0)
        life.lose_log()
        for name in ("b", "c"):
            await life.create(name)
            await life.fail(name)
        await running.until_spooled(3)
        await eventually(lambda: "was deleted or moved" in (running.agent.publishing.check() or ""))
        assert running.spool.state().waiting == 2
        life.find_log()

        assert [name for name, *_ in await life.until_reported(3)] == ["a", "b", "c"]


async def test_a_pod_released_by_nobody_is_released_by_the_next_process(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life:
        async with life.agent(shutdown="100ms") as running:
            await life.create("a")
            await life.fail("a")
            await running.until_spooled(1)
        assert await life.is_held("a")

        life.open_log()
        async with life.agent():
            await eventually(lambda: _not(life.is_held("a")))

        assert life.reported() == [("a", "pod-failed", "unknown")]


async def test_a_pod_that_succeeded_is_released_and_nothing_is_reported(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent() as running:
        await life.create("a")
        await life.set_status("a", {"phase": "Succeeded"})

        await eventually(lambda: _not(life.is_held("a")))
        assert running.spooled() == 0


async def test_a_pod_deleted_before_it_had_a_node_is_reported_and_released(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        await life.create("a")
        await life.delete("a")

        assert await life.until_reported(1) == [("a", "deleted-externally", "internal")]
        await eventually(lambda: _not(life.exists("a")))
        assert len(life.reported()) == 1


async def test_a_running_pod_that_is_deleted_is_held_until_it_has_ended(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        await life.api.create(PODS, pod("a", node="n1", finalizers=[FINALIZER]))
        await life.set_status("a", {"phase": "Running"})
        await life.delete("a", gracePeriodSeconds=300)
        assert await life.is_held("a")
        await life.fail("a", code=143)

        assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]
        await eventually(lambda: _not(life.is_held("a")))


async def test_a_pod_that_vanished_while_nobody_watched_is_missing(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent() as running:
            made = await life.create("a", held=False)
            await eventually(lambda: _known(running, made["metadata"]["uid"]))
        await life.delete("a")
        async with life.agent() as running:
            assert await life.until_reported(1) == [("a", "missing", "internal")]
            await eventually(lambda: not running.spool.known())
        (event,) = life.events()
        assert isinstance(event.event, Failure)
        assert [each.what for each in event.event.missing] == ["pod"]
        async with life.agent():
            pass
        assert len(life.events()) == 1


async def test_a_pod_that_finished_and_vanished_is_not_missing(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent():
            await life.create("a", held=False)
            await life.fail("a")
            await life.until_reported(1)
        await life.delete("a")
        async with life.agent() as running:
            await eventually(lambda: not running.spool.known())

        assert life.reported() == [("a", "pod-failed", "unknown")]


async def test_a_pod_that_is_no_longer_ours_to_watch_is_not_missing(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent() as running:
            made = await life.create("a")
            await eventually(lambda: _known(running, made["metadata"]["uid"]))
        async with life.agent(watch={"namespaces": ["other"]}) as running:
            await eventually(lambda: not running.spool.known())
            assert running.spooled() == 0


async def test_a_pod_that_lost_its_label_is_not_gone_and_one_deleted_is(tmp_path: Path) -> None:
    selector = {"labelSelector": "ours=yes"}
    async with living(tmp_path) as life, life.agent(watch=selector) as running:
        for name in ("a", "b"):
            await life.create(name, held=False, labels={"ours": "yes"})
        await eventually(lambda: len(running.spool.known()) == 2)
        await life.api.patch(f"{PODS}/a", {"metadata": {"labels": {"ours": None}}})
        await eventually(lambda: len(running.spool.known()) == 1)
        await life.delete("b")

        assert await life.until_reported(1) == [("b", "deleted-externally", "internal")]
        assert await life.exists("a")


async def test_a_living_pod_that_is_no_longer_ours_to_watch_is_released(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent() as running:
            made = await life.create("a")
            await eventually(lambda: _known(running, made["metadata"]["uid"]))
        async with life.agent(watch={"namespaces": ["other"]}) as running:
            await eventually(lambda: not running.spool.known())
            assert not await life.is_held("a")
            assert running.spooled() == 0


async def test_a_held_pod_that_failed_out_of_scope_is_reported_before_it_is_released(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent() as running:
            made = await life.create("a")
            await eventually(lambda: _known(running, made["metadata"]["uid"]))
        await life.fail("a")
        async with life.agent(watch={"namespaces": ["other"]}) as running:
            assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]
            await eventually(lambda: not running.spool.known())
            assert not await life.is_held("a")


async def test_a_failed_pod_that_lost_its_label_is_held_until_the_broker_has_its_failure(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life, life.agent(watch={"labelSelector": "ours=yes"}) as running:
        await life.create("a", labels={"ours": "yes"})
        await life.fail("a")
        await running.until_spooled(1)
        await life.api.patch(f"{PODS}/a", {"metadata": {"labels": {"ours": None}}})
        await eventually(lambda: len(running.agent.watch_set.tombstones) == 1)
        assert await life.is_held("a")

        life.open_log()
        await eventually(lambda: not running.spool.known())
        assert not await life.is_held("a")
        assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]


async def test_late_events_are_waited_for_and_used(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(evidenceWait="60s"):
        made = await life.create("a")
        await life.fail("a")
        await life.create("b")
        await life.fail("b", reason="OOMKilled")
        assert await life.until_reported(1) == [("b", "pod-failed", "memory")]

        await life.event(made, "the mount failed")

        assert await life.until_reported(2) == [("a", "pod-failed", "volume"), ("b", "pod-failed", "memory")]


async def test_a_rule_on_an_exit_code_alone_waits_and_one_that_knows_why_does_not(tmp_path: Path) -> None:
    rules = str(shipped("error-categories.yaml"))
    async with living(tmp_path) as life, life.agent(evidenceWait="60s", categories=rules):
        made = await life.create("a")
        await life.fail("a", code=1)
        await life.create("b")
        await life.fail("b", code=137, reason="OOMKilled")
        assert await life.until_reported(1) == [("b", "pod-failed", "oom")]

        await life.event(made, "spot instance interruption")

        assert await life.until_reported(2) == [("a", "pod-failed", "node"), ("b", "pod-failed", "oom")]


async def test_normal_events_can_be_left_out(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        made = await life.create("a")
        for kind in ("Normal", "Warning"):
            await life.event(made, f"{kind} it is", type=kind)
        async with life.agent(watch={"normalEvents": False}):
            await life.fail("a")
            await life.until_reported(1)
    (event,) = life.events()
    assert isinstance(event.event, Failure)
    assert [each.message for each in event.event.events] == ["Warning it is"]


async def test_a_normal_event_about_the_pods_job_is_heard_where_a_rule_names_its_reason(tmp_path: Path) -> None:
    rules = """
errorCategories:
- {name: queue, rules: [{onPodEvents: {type: Normal, reason: Stopped, regexp: Preempted}}]}
- {name: code, rules: [{onExitCodes: {operator: NotIn, values: [0]}}]}
"""
    job = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job-1", "controller": True}
    about = {"kind": "Job", "namespace": "default", "name": "j", "uid": "job-1"}
    async with living(tmp_path) as life:
        made = await life.create("a", ownerReferences=[job])
        now = made["metadata"]["creationTimestamp"]
        event = {"type": "Normal", "reason": "Stopped", "involvedObject": about, "lastTimestamp": now}
        await life.event(made, "Preempted to accommodate a workload", **event)
        await life.fail("a", code=143)
        async with life.agent(text=rules):
            assert await life.until_reported(1) == [("a", "pod-failed", "queue")]


async def test_what_waits_when_the_agent_stops_is_reported(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(evidenceWait="60s") as running:
            await life.create("a")
            await life.fail("a")
            await eventually(lambda: len(running.agent.controller.cases) == 1)

        assert life.reported() == [("a", "pod-failed", "unknown")]


async def test_what_waits_when_the_agent_is_killed_is_reported_by_the_next(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(evidenceWait="60s") as running:
            await life.create("a")
            await life.fail("a")
            await eventually(lambda: len(running.agent.controller.cases) == 1)
            await running.kill()
        async with life.agent():
            assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]
        assert len(life.reported()) == 1


async def test_restarts_in_place_are_reported_beside_the_end(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        await life.create("a")
        for number in (1, 2):
            await life.set_status("a", _restarted(number))
        await life.until_reported(2)
        await life.fail("a")

        assert await life.until_reported(3) == [
            ("a", "container-restarted", "unknown"),
            ("a", "container-restarted", "unknown"),
            ("a", "pod-failed", "unknown"),
        ]


async def test_a_pod_that_never_starts_is_reported_without_news(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(deadlines={"image": "200ms"}):
        await life.create("a")
        waiting = {"name": "main", "image": "i", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
        await life.set_status("a", {"phase": "Pending", "containerStatuses": [waiting]})

        assert await life.until_reported(1) == [("a", "never-started", "internal")]
        assert await life.is_held("a")


async def test_a_pod_that_succeeded_is_held_until_that_is_on_disk(tmp_path: Path) -> None:
    """Else it could go with our finalizer, and who starts after a crash would take it for missing."""
    async with living(tmp_path) as life, life.agent() as running:
        created = await life.create("a")
        await eventually(lambda: life.is_held("a"))
        await eventually(lambda: len(running.spool.known()) == 1)
        with closing(sqlite3.connect(tmp_path / "spool.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await life.set_status("a", {"phase": "Succeeded"})
            await eventually(lambda: phase_of(running, created) == "Succeeded")
            await asyncio.sleep(0.5)
            assert await life.is_held("a")
            other.execute("ROLLBACK")

        await eventually(lambda: _not(life.is_held("a")))
        assert b"Succeeded" in running.spool.known()[0].entry


def phase_of(running: Running, created: Json) -> str:
    tracked = running.agent.controller._pods.get(created["metadata"]["uid"])
    return "" if tracked is None else tracked.entry.phase


async def test_a_pod_that_goes_while_its_reconciliation_waits_for_the_disk_is_not_reconciled(tmp_path: Path) -> None:
    waits = {
        "phase": "Pending",
        "containerStatuses": [{"name": "main", "image": "i", "state": {"waiting": {"reason": "ErrImagePull"}}}],
    }
    deadlines, bounds = {"image": "5s"}, {"unspooled": 1}
    async with living(tmp_path) as life, life.agent(deadlines=deadlines, bounds=bounds) as running:
        await life.create("a", held=False)
        await life.set_status("a", waits)
        await eventually(lambda: [b"since" in known.entry for known in running.spool.known()] == [True])
        with closing(sqlite3.connect(tmp_path / "spool.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for name in ("b", "c"):
                await life.create(name, held=False)
            await life.delete("a", gracePeriodSeconds=0)
            await asyncio.sleep(5.5)
            other.execute("ROLLBACK")

        await eventually(lambda: ("a", "deleted-externally", "internal") in life.reported())
        await eventually(lambda: len(running.spool.known()) == 2)
        await asyncio.sleep(0.5)
        assert len(running.spool.known()) == 2
        assert life.course()[-1] == ("a", "deleted-externally", "internal")


async def test_a_log_is_read_where_it_may_be_and_classified(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(logTails={"namespaces": ["default"]}):
        made = await life.create("a")
        life.simulation.logs.append(made["metadata"]["uid"], "main", "begin\nout of tape\n")
        await life.fail("a")

        assert await life.until_reported(1) == [("a", "pod-failed", "log")]
        assert (await life.api.requests())["log pods"] == 1
    (event,) = life.events()
    assert isinstance(event.event, Failure)
    assert [(tail.container, tail.text) for tail in event.event.log_tails] == [("main", "begin\nout of tape\n")]


async def test_no_log_is_read_unless_settings_name_the_namespace(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(logTails={"namespaces": ["other"]}):
        made = await life.create("a")
        life.simulation.logs.append(made["metadata"]["uid"], "main", "out of tape\n")
        await life.fail("a")

        assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]
        assert "log pods" not in await life.api.requests()


async def test_a_log_that_cannot_be_had_is_recorded_as_missing(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(logTails={"namespaces": ["default"]}):
        await life.create("a", held=False)
        await life.api.add_fault(kind="status", verb="log", resource="pods", code=500)
        await life.fail("a")
        await life.until_reported(1)

    ends = [event.event for event in life.events() if isinstance(event.event, Failure)]
    assert {each.what for end in ends for each in end.missing} == {"log of main"}


async def test_a_failure_that_breaks_us_is_held_for_the_next_process_and_stops_nobody(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent() as running:
            diagnoser = running.agent.controller.diagnoser
            diagnoser.diagnosis = replace(diagnoser.diagnosis, redactor=BrokenRedactor())
            for name, message in (("a", "boom"), ("b", "fine")):
                await life.create(name)
                await life.fail(name, message=message)
            assert await life.until_reported(1) == [("b", "pod-failed", "unknown")]
            await eventually(lambda: _not(life.is_held("b")))
            assert await life.is_held("a")
        async with life.agent():
            assert await life.until_reported(2) == [("a", "pod-failed", "unknown"), ("b", "pod-failed", "unknown")]


class BrokenRedactor(Redactor):
    def finds(self, text: str) -> bool:
        if "boom" in text:
            raise RuntimeError("as nobody foresaw")
        return super().finds(text)


async def test_the_label_asks_for_the_finalizer(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        await life.create("a", held=False, labels={HOLD_LABEL: "true"})
        await life.create("b", held=False, labels={HOLD_LABEL: "no"})
        await eventually(lambda: life.is_held("a"))
        await life.fail("a")

        await life.until_reported(1)
        await eventually(lambda: _not(life.is_held("a")))
        assert not await life.is_held("b")


async def test_a_burst_is_reported_without_a_request_per_pod(tmp_path: Path) -> None:
    names = [f"p{number:03}" for number in range(120)]
    async with living(tmp_path) as life:
        for name in names:
            await life.create(name, held=False)
            await life.set_status(name, failed())
        before = await life.api.requests()
        async with life.agent():
            assert [name for name, *_ in await life.until_reported(len(names))] == names
        after = await life.api.requests()

    asked = {what: count - before.get(what, 0) for what, count in after.items()}
    assert asked.get("watch pods", 0) >= 1
    asked.pop("get namespaces")  # who the cluster is, and what its time is
    assert sum(count for what, count in asked.items() if what.split()[0] in {"get", "patch", "log"}) == 0, asked


async def test_heartbeats_say_how_far_the_spool_is(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        await life.api.create("/api/v1/nodes", _node("n1"))
        async with life.agent() as running:
            await life.create("a")
            await life.fail("a")
            await eventually(lambda: _beats(life.published("cluster-heartbeats-east")))
            spool_id = running.spool.spool_id()

    beats = [heartbeat.decode(payload) for payload in life.published("cluster-heartbeats-east")]
    # the first report is of the rules
    assert beats[0].last_spooled <= 1
    assert (beats[-1].last_spooled, beats[-1].last_acknowledged) == (2, 2)
    assert {(beat.cluster, beat.epoch, beat.spool_id) for beat in beats} == {("east", 1, spool_id)}
    assert len({beat.incarnation for beat in beats}) == 1
    shapes = [(shape.allocatable, shape.ready, shape.total) for shape in beats[-1].node_shapes]
    assert ((("cpu", "8"),), 1, 1) in shapes


async def _not(question: Awaitable[bool]) -> bool:
    return not await question


def _known(running: Running, uid: str) -> bool:
    return uid in {known.uid for known in running.spool.known()}


def _restarted(number: int) -> Json:
    dead = {"exitCode": 3, "reason": "Error", "containerID": f"containerd://{number}"}
    status = {"name": "main", "image": "i", "restartCount": number, "state": {"running": {}}}
    return {"phase": "Running", "containerStatuses": [{**status, "lastState": {"terminated": dead}}]}


def _beats(payloads: Sequence[bytes]) -> bool:
    return any(heartbeat.decode(payload).last_acknowledged == 2 for payload in payloads)


def _node(name: str) -> Json:
    ready = {"type": "Ready", "status": "True"}
    return {"metadata": {"name": name}, "status": {"conditions": [ready], "allocatable": {"cpu": "8"}}}
