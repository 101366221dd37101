"""The run role on a simulated cluster: pods are taken away, and told of when they are gone."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY, generate_latest

from agent.cluster.spool.entries import RULE_SETS
from agent.core.failure import CheckAction, Failure
from agent.core.run_event import Amendment, RunEvent
from tests.cluster.living import CATEGORIES, Living, Running, eventually, living
from tests.simulator.api import PODS

DELETING = CATEGORIES.replace("- name: memory", "- name: memory\n      action: Delete")
RUN: dict[str, Any] = {"run": {"namespaces": ["default"]}}
OURS: dict[str, Any] = {"labels": {"armada_job_run_id": "run"}}
WAITING = {
    "phase": "Pending",
    "containerStatuses": [
        {"name": "main", "image": "i", "ready": False, "state": {"waiting": {"reason": "Odd", "message": "why"}}}
    ],
}


def checks(action: str, **more: object) -> dict[str, Any]:
    check = {"state": "Waiting", "reasonRegexp": "Odd", "gracePeriod": "0s", "action": action}
    return RUN | {"pendingPodChecks": {"containerStatuses": [check], **more}}


async def gone(life: Living, name: str) -> bool:
    return not await life.exists(name)


def failures(life: Living) -> list[tuple[RunEvent, Failure]]:
    return [(event, event.event) for event in life.events() if isinstance(event.event, Failure)]


def pods_reported(running: Running) -> set[str]:
    """The uids of the pods that the spool has reports of."""
    return set(running.spool.reported()) - {RULE_SETS}


@pytest.mark.slow
async def test_a_failed_pod_is_deleted_then_reported_then_released(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life, life.agent(text=DELETING, **RUN) as running:
        await life.create("a", held=False, **OURS)
        await life.fail("a", code=137, reason="OOMKilled")
        await eventually(lambda: life.is_held("a"))
        await eventually(lambda: running.spooled() == 1)
        found = await life.api.get(f"{PODS}/a")
        assert found["metadata"]["deletionTimestamp"]
        life.open_log()
        await eventually(lambda: gone(life, "a"))
        assert life.reported() == [("a", "pod-failed", "memory")]
        await eventually(lambda: not running.spool.known())


@pytest.mark.parametrize("meta", [{}, {"labels": {"armada_job_run_id": ""}}])
async def test_a_pod_that_is_not_ours_stays(tmp_path: Path, meta: dict[str, Any]) -> None:
    async with living(tmp_path) as life, life.agent(text=DELETING, **RUN):
        await life.create("a", **meta)
        await life.fail("a", code=137, reason="OOMKilled")
        await life.until_reported(1)
        await eventually(lambda: _not(life.is_held("a")))
        assert "deletionTimestamp" not in (await life.api.get(f"{PODS}/a"))["metadata"]


async def test_what_was_held_is_counted_under_its_origin_by_the_next_process_too(tmp_path: Path) -> None:
    counted = 'failure_agent_failures_total{category="memory-of-ours",origin="user",subcategory=""} 1.0'
    rules = DELETING.replace("- name: memory", "- name: memory-of-ours\n      origin: user")
    async with living(tmp_path) as life:
        async with life.agent(text=rules, **RUN) as running:
            await life.api.add_fault(kind="status", verb="delete", resource="pods", code=500)
            await life.create("a", **OURS)
            await life.fail("a", code=137, reason="OOMKilled")
            await eventually(lambda: pods_reported(running) != set())
            await running.kill()
        assert counted not in generate_latest(REGISTRY).decode()
        await life.api.clear_faults()
        async with life.agent(text=rules, **RUN):
            await life.until_reported(1)
        assert counted in generate_latest(REGISTRY).decode()


async def test_what_is_held_outlives_the_process(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(text=DELETING, **RUN) as running:
            await life.api.add_fault(kind="status", verb="delete", resource="pods", code=500)
            await life.create("a", **OURS)
            await life.fail("a", code=137, reason="OOMKilled")
            await eventually(lambda: pods_reported(running) != set())
            await running.kill()
        assert life.published() == []
        await life.api.clear_faults()
        async with life.agent(text=DELETING, **RUN):
            assert await life.until_reported(1) == [("a", "pod-failed", "memory")]
            await eventually(lambda: gone(life, "a"))
    assert len(life.published()) == 1


async def test_a_pod_removed_while_nobody_looked_is_reported_as_it_was_held(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(text=DELETING, **RUN) as running:
            await life.api.add_fault(kind="status", verb="delete", resource="pods", code=500)
            await life.create("a", **OURS)
            await life.fail("a", code=137, reason="OOMKilled")
            await eventually(lambda: pods_reported(running) != set())
            await running.kill()
        await life.api.clear_faults()
        await life.api.patch(f"{PODS}/a", {"metadata": {"finalizers": None}})
        await life.delete("a")
        async with life.agent(text=DELETING, **RUN):
            assert await life.until_reported(1) == [("a", "pod-failed", "memory")]


@pytest.mark.slow
async def test_a_pod_that_cannot_be_deleted_is_reported_once_as_stuck(tmp_path: Path) -> None:
    async with (
        living(tmp_path) as life,
        life.agent(text=DELETING, stuckTerminatingPodExpiry="300ms", **RUN),
    ):
        await life.api.add_fault(kind="status", verb="delete", resource="pods", code=500)
        await life.create("a", **OURS)
        await life.fail("a", code=137, reason="OOMKilled", message="too big")
        assert await life.until_reported(1) == [("a", "stuck-terminating", "internal")]
        await life.api.clear_faults()
        await eventually(lambda: gone(life, "a"))
        ((_, failure),) = failures(life)
    assert (failure.classification.subcategory, failure.overruled and failure.overruled.category) == (
        "stuck-terminating",
        "memory",
    )
    assert "could not be deleted" in failure.pod_error
    assert "pod stuck in terminating phase, this indicates a node issue" in failure.classification.hint
    assert (failure.exit_code, failure.termination_message) == (137, "too big")


async def test_a_check_that_asks_for_another_try_removes_the_pod_first(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**checks("Retry")):
        await life.create("a", **OURS)
        await life.set_status("a", WAITING)
        await eventually(lambda: gone(life, "a"))
        ((_, failure),) = failures(life)
    assert failure.check is not None
    assert (failure.check.action, failure.check.check) == (
        CheckAction.RETRY,
        "pendingPodChecks.containerStatuses[check-0]",
    )
    assert failure.classification.category == "unknown"
    assert failure.pod_error.startswith("Unable to start pod")


@pytest.mark.slow
async def test_a_pod_to_be_tried_again_that_is_slow_to_go_is_not_reported_as_stuck(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(stuckTerminatingPodExpiry="100ms", **checks("Retry")) as running:
        await life.api.add_fault(kind="status", verb="delete", resource="pods", code=500)
        await life.create("a", **OURS)
        await life.set_status("a", WAITING)
        await eventually(lambda: pods_reported(running) != set())
        await asyncio.sleep(0.4)
        assert life.reported() == []
        await life.api.clear_faults()
        assert await life.until_reported(1) == [("a", "never-started", "unknown")]
        await eventually(lambda: gone(life, "a"))
    assert len(life.published()) == 1


@pytest.mark.parametrize("expiry", ["100ms", pytest.param("1us", id="before its report is on the disk")])
async def test_a_pod_to_be_tried_again_goes_without_our_finalizer_if_it_must(tmp_path: Path, expiry: str) -> None:
    async with living(tmp_path) as life:
        await life.create("a", held=False, **OURS)
        await life.set_status("a", WAITING)
        await life.api.add_fault(kind="status", verb="patch", resource="pods", code=403)
        async with life.agent(stuckTerminatingPodExpiry=expiry, **checks("Retry")):
            assert await life.until_reported(1) == [("a", "never-started", "unknown")]
            assert await gone(life, "a")


async def test_a_check_that_fails_the_run_tells_first(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**checks("Fail")):
        await life.create("a", **OURS)
        await life.set_status("a", WAITING)
        assert await life.until_reported(1) == [("a", "never-started", "unknown")]
        await eventually(lambda: gone(life, "a"))
    assert len(life.published()) == 1


async def test_a_pod_that_starts_before_it_is_deleted_lives(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**checks("Retry")) as running:
        await life.api.add_fault(kind="status", verb="delete", resource="pods", code=500)
        await life.create("a", **OURS)
        await life.set_status("a", WAITING)
        await eventually(lambda: pods_reported(running) != set())
        running_state = {"state": {"running": {"startedAt": "2026-11-21T10:00:00Z"}}}
        started = {"name": "main", "image": "i", "ready": True, **running_state}
        await life.set_status("a", {"phase": "Running", "containerStatuses": [started]})
        await eventually(lambda: not pods_reported(running))
        await life.api.clear_faults()
        await life.fail("a", code=3)
        assert await life.until_reported(1) == [("a", "pod-failed", "unknown")]


async def test_a_failed_pod_check_removes_the_pod_and_says_so(tmp_path: Path) -> None:
    settings = RUN | {"failedPodChecks": {"containerStatuses": [{"containerNameRegexp": "^main$"}]}}
    async with living(tmp_path) as life, life.agent(**settings):
        await life.create("a", **OURS)
        await life.fail("a", code=3)
        await eventually(lambda: gone(life, "a"))
        ((_, failure),) = failures(life)
    assert failure.check is not None
    assert failure.check.check == "failedPodChecks.containerStatuses[0]"


async def test_late_evidence_amends_a_failure_once(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        made = await life.create("a")
        await life.api.patch(f"{PODS}/a", {"metadata": {"finalizers": ["example.dev/other"]}})
        await life.fail("a", code=3)
        await eventually(lambda: len(life.published()) == 1)
        await life.event(made, "mount failed")
        await life.event(made, "mount failed")
        await eventually(lambda: len(life.published()) == 2)
        await asyncio.sleep(0.2)
        first, second = life.events()
    assert isinstance(first.event, Failure)
    assert isinstance(second.event, Amendment)
    assert second.event.amends == first.event_id
    assert second.event_id != first.event_id
    assert (first.event.classification.category, second.event.failure.classification.category) == ("unknown", "volume")


@pytest.mark.parametrize(("at", "amended"), [("11:00:00", True), ("13:00:00", False)])
async def test_a_disruption_after_the_end_amends_nothing(tmp_path: Path, *, at: str, amended: bool) -> None:
    drained = CATEGORIES + "    - name: drained\n      rules: [{onConditions: [DisruptionTarget]}]\n"
    ended = {"terminated": {"exitCode": 3, "reason": "Error", "finishedAt": "2026-01-02T12:00:00Z"}}
    status = {"phase": "Failed", "containerStatuses": [{"name": "main", "image": "i", "ready": False, "state": ended}]}
    condition = {"type": "DisruptionTarget", "status": "True", "lastTransitionTime": f"2026-01-02T{at}Z"}
    async with living(tmp_path) as life, life.agent(text=drained):
        made = await life.create("a")
        await life.api.patch(f"{PODS}/a", {"metadata": {"finalizers": ["example.dev/other"]}})
        await life.set_status("a", status)
        await life.until_reported(1)
        await life.set_status("a", {**status, "conditions": [condition]})
        if not amended:
            await life.event(made, "mount failed")
        await eventually(lambda: len(life.published()) == 2)
        _, second = life.events()
    assert isinstance(second.event, Amendment)
    assert second.event.failure.classification.category == ("drained" if amended else "volume")


async def _not(answer: Coroutine[Any, Any, bool]) -> bool:
    return not await answer
