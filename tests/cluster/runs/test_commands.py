"""The commands of the scheduler against a simulated cluster: what happens to pods, and what is answered."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from agent.broker.topics import heartbeat_topic
from agent.core.failure import Failure
from agent.core.heartbeat import Heartbeat
from agent.core.identity.labels import START_GATE
from agent.core.run_event import (
    Confirmation,
    CreationFailed,
    NameHeld,
    PodReference,
    RunCreated,
    RunPhase,
    RunRejected,
    RunStopped,
    StopAnswer,
)
from agent.kube.finalizer import FINALIZER
from agent.wire import heartbeat
from tests.cluster.living import eventually, failed, living
from tests.cluster.runs.commanding import MAIN_RUNS, POD, TAKES_RUNS, Scheduler, create, ended_now, ready
from tests.simulator.api import PODS, Api, pod

pytestmark = pytest.mark.slow

HEARTBEATS = heartbeat_topic("east")


def succeeded() -> dict[str, Any]:
    return {**failed(code=0, reason="Completed"), "phase": "Succeeded"}


WITHOUT_LABELS = {"metadata": {"labels": dict.fromkeys(("failure-agent.dev/run", "failure-agent.dev/job"))}}


async def test_a_run_is_created_started_and_succeeds(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        await life.set_status(pod.name, succeeded())
        await scheduler.until(RunPhase.SUCCEEDED)
        await eventually(lambda: _not(life.is_held(pod.name)))

    told = scheduler.of_run("r1")
    assert [event.event for event in told] == [RunCreated(), RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED]
    assert {event.pod.uid for event in told} == {pod.uid}
    assert [event.gated for event in told] == [True, False, False, False]
    assert [event.confirmed for event in told] == [None, None, None, Confirmation.CONTAINERS]


async def test_a_create_repeated_ten_times_gives_one_pod_and_ten_answers(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(*[create()] * 10)
        told = await scheduler.until(RunCreated, times=10)
        (made,) = await scheduler.pods()

    assert {event.pod.uid for event in told} == {made["metadata"]["uid"]}
    assert all(event.gated for event in told)


async def test_a_create_is_answered_after_the_start_too(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        scheduler.send(create())
        again = await scheduler.until(RunCreated, times=2)

    assert (again[1].pod.uid, again[1].gated) == (pod.uid, False)


async def test_the_answer_that_was_lost_is_found_again(tmp_path: Path) -> None:
    """The pod was created, and the connection broke before the API server's answer."""
    async with living(tmp_path) as life:
        await life.api.add_fault(kind="lost", verb="create", resource="pods", times=1)
        async with life.agent(**TAKES_RUNS):
            scheduler = await Scheduler.of(life)
            scheduler.send(create())
            await scheduler.created()
            (made,) = await scheduler.pods()

    assert {event.pod.uid for event in scheduler.of_run("r1")} == {made["metadata"]["uid"]}


async def test_what_the_api_server_refuses_for_good_is_a_failed_creation(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS) as running:
        scheduler = await Scheduler.of(life)
        await ready(running)
        scheduler.send(create(namespace="none"), run="no-namespace")
        scheduler.send(create(pod={"spec": {"containers": [{"name": "main"}]}}), run="invalid")
        scheduler.send(create(namespace="kube-system"), run="not-served")
        scheduler.send(create(pod={"spec": {**POD["spec"], "hostNetwork": True}}), run="forbidden")
        for run in ("no-namespace", "invalid"):
            await scheduler.until(CreationFailed, run=run)
        await life.api.add_fault(kind="webhook", verb="create", resource="pods", text="no GPUs on Sundays")
        scheduler.send(create(), run="denied")
        runs = {"no-namespace": "NotFound", "invalid": "Invalid", "not-served": "NamespaceNotServed"}
        for run, reason in {**runs, "forbidden": "Forbidden", "denied": "Denied"}.items():
            (told,) = await scheduler.until(CreationFailed, run=run)
            assert isinstance(told.event, CreationFailed)
            assert (told.event.reason, told.pod.uid) == (reason, "")
        assert await scheduler.pods() == []


async def test_what_the_cluster_cannot_take_now_is_rejected(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS) as running:
        scheduler = await Scheduler.of(life)
        await ready(running)
        await life.api.add_fault(kind="quota", verb="create", resource="pods", times=1)
        scheduler.send(create(), run="quota")
        (told,) = await scheduler.until(RunRejected, run="quota")
        assert isinstance(told.event, RunRejected)
        assert told.event.reason == "ExceededQuota"
        await life.api.add_fault(kind="status", verb="create", resource="pods", code=503, times=1)
        scheduler.send(create(), run="unavailable")
        await scheduler.until(RunRejected, run="unavailable")
        assert await scheduler.pods() == []


async def test_a_namesake_that_is_not_ours_is_a_rejection(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        await life.api.create(PODS, pod("armada-j1-0"))
        scheduler.send(create())
        (told,) = await scheduler.until(RunRejected)

    assert isinstance(told.event, RunRejected)
    assert (told.event.reason, told.event.message) == (
        "AlreadyExists",
        "a pod that is not ours has the name armada-j1-0",
    )


async def test_a_name_that_an_earlier_pod_of_the_job_has_is_waited_for(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create(), run="r1")
        earlier = await scheduler.created(run="r1")
        scheduler.send(create(), run="r2")
        (held,) = await scheduler.until(NameHeld, run="r2")
        await asyncio.sleep(0.7)  # it is tried again meanwhile
        scheduler.discard(earlier, run="r1")
        later = await scheduler.created(run="r2")
        told = scheduler.of_run("r2")

    assert held.event == NameHeld(uid=earlier.uid)
    assert [event.event for event in told] == [NameHeld(uid=earlier.uid), RunCreated()]
    assert later.uid != earlier.uid
    assert scheduler.dead_letters() == []


async def test_an_earlier_pod_whose_end_is_known_to_all_makes_room_at_once(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        earlier = await scheduler.running()
        await life.fail(earlier.name, code=1)
        await eventually(lambda: _not(life.is_held(earlier.name)))
        scheduler.send(create(), run="r2")
        later = await scheduler.created(run="r2")

    assert later.name == earlier.name
    assert any(isinstance(event.event, Failure) for event in scheduler.of_run("r1"))
    assert scheduler.of_run("r2", NameHeld) == [], "nothing waited"


async def test_an_earlier_pod_that_its_kubelet_refused_makes_room_too(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        earlier = await scheduler.started()
        await scheduler.bind(earlier)
        await life.set_status(earlier.name, {"phase": "Failed", "reason": "OutOfcpu"})
        (failure,) = await scheduler.until(Failure)
        await eventually(lambda: _not(life.is_held(earlier.name)))
        scheduler.send(create(), run="r2")
        later = await scheduler.created(run="r2")

    assert failure.confirmed is Confirmation.REFUSED_BY_KUBELET
    assert later.name == earlier.name


async def test_an_earlier_pod_that_may_live_keeps_its_name(tmp_path: Path) -> None:
    """PodGC wrote it off, and somebody took our finalizer off: nothing proves that its containers ended."""
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        earlier = await scheduler.running()
        await life.set_status(earlier.name, {"phase": "Failed", "containerStatuses": [MAIN_RUNS]})
        await scheduler.until(Failure)
        await life.api.patch(f"{PODS}/{earlier.name}", {"metadata": {"finalizers": None}})
        scheduler.send(create(), run="r2")
        await scheduler.until(NameHeld, run="r2")
        await asyncio.sleep(1.2)  # it is tried again meanwhile

        assert not await _is_deleted(life.api, earlier.name)


async def test_a_command_waits_for_the_api_server(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        await life.api.add_fault(kind="status", verb="patch", resource="pods", code=503, times=2)
        scheduler.start(pod)
        await scheduler.until(RunPhase.PENDING)

    assert scheduler.dead_letters() == []


async def test_the_start_of_a_pod_that_is_gone_is_answered_each_time(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        scheduler.discard(pod)
        await eventually(lambda: _not(life.exists(pod.name)))
        namesake = await life.create(pod.name, held=False)
        scheduler.start(pod)
        scheduler.start(pod)
        told = await scheduler.until(RunStopped, times=2)
        left = await life.api.get(f"{PODS}/{pod.name}")

    assert [event.event for event in told] == [RunStopped(answer=StopAnswer.GONE)] * 2
    assert [event.confirmed for event in told] == [None, None]
    assert left == namesake


async def test_a_copy_that_somebody_made_under_the_name_of_a_pod_is_left_alone(tmp_path: Path) -> None:
    """Of its manifest, labels and all, after the pod itself was deleted."""
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        manifest = await life.api.get(f"{PODS}/{pod.name}")
        await scheduler.ended(pod, code=1)
        await eventually(lambda: _not(life.is_held(pod.name)))
        await life.api.ask("DELETE", f"{PODS}/{pod.name}", gracePeriodSeconds=0)
        metadata = {name: manifest["metadata"][name] for name in ("name", "namespace", "labels", "annotations")}
        copy = await life.api.create(PODS, {**manifest, "metadata": metadata, "status": {}})
        scheduler.stop(pod)
        scheduler.discard(pod)
        (told,) = await scheduler.until(RunStopped)
        scheduler.send(create(), run="r2")
        (held,) = await scheduler.until(NameHeld, run="r2")
        left = await life.api.get(f"{PODS}/{pod.name}")

    assert told.event == RunStopped(answer=StopAnswer.GONE)
    assert held.event == NameHeld(uid=copy["metadata"]["uid"])
    assert (left["metadata"]["uid"], left["metadata"]["annotations"]) == (
        copy["metadata"]["uid"],
        metadata["annotations"],
    )
    assert "deletionTimestamp" not in left["metadata"]


async def test_a_stop_is_answered_once_when_the_container_has_ended(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        scheduler.stop(pod)
        scheduler.stop(pod)
        await eventually(lambda: _is_deleted(life.api, pod.name))
        assert scheduler.of_run("r1", RunStopped) == []
        await life.set_status(pod.name, ended_now(143))
        (told,) = await scheduler.until(RunStopped)
        await life.api.ask("DELETE", f"{PODS}/{pod.name}", gracePeriodSeconds=0)
        await eventually(lambda: _not(life.exists(pod.name)))
        scheduler.stop(pod)
        await scheduler.until(RunStopped, times=2)
        events = scheduler.of_run("r1")

    assert told.event == RunStopped(answer=StopAnswer.GONE)
    assert told.confirmed is Confirmation.CONTAINERS
    assert [event.event for event in events][-1] == RunStopped(answer=StopAnswer.GONE)
    assert not any(isinstance(event.event, Failure) for event in events), "exit code 143 after our stop is no failure"
    assert RunPhase.SUCCEEDED not in [event.event for event in events]


@pytest.mark.parametrize(
    ("status", "answer"),
    [(succeeded(), StopAnswer.SUCCEEDED_BEFORE), (failed(code=3), StopAnswer.FAILED_BEFORE)],
    ids=["success", "failure"],
)
async def test_what_the_pod_did_before_its_stop_wins(
    tmp_path: Path, status: dict[str, Any], answer: StopAnswer
) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        await life.set_status(pod.name, status)
        scheduler.stop(pod)
        (told,) = await scheduler.until(RunStopped)
        assert await life.exists(pod.name), "it has ended, so there is nothing to stop"

    assert (told.event, told.confirmed) == (RunStopped(answer=answer), Confirmation.CONTAINERS)


async def test_a_stop_of_a_gated_pod_is_answered_at_once(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        scheduler.stop(pod)
        (told,) = await scheduler.until(RunStopped)
        await eventually(lambda: _not(life.exists(pod.name)))
        events = scheduler.of_run("r1")

    assert (told.event, told.confirmed) == (RunStopped(answer=StopAnswer.NEVER_STARTED), Confirmation.NEVER_BOUND)
    assert told.gated
    assert [event.event for event in events] == [RunCreated(), told.event]


async def test_a_discarded_pod_goes_without_a_word(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        scheduler.discard(pod)
        scheduler.discard(pod)
        await eventually(lambda: _not(life.exists(pod.name)))
        await asyncio.sleep(0.5)

        assert [event.event for event in scheduler.of_run("r1")] == [RunCreated()]


async def test_a_started_pod_is_not_discarded(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        scheduler.discard(pod)
        scheduler.send(create())
        await scheduler.until(RunCreated, times=2)  # handled after the discard

        assert not await _is_deleted(life.api, pod.name)


async def test_a_gated_pod_that_somebody_deleted_is_a_failure_that_says_so(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        pod = await scheduler.created()
        await life.delete(pod.name)
        (told,) = await scheduler.until(Failure)
        await eventually(lambda: _not(life.exists(pod.name)))

    assert isinstance(told.event, Failure)
    assert told.event.occurrence.value == "deleted-externally"
    assert (told.gated, told.confirmed) == (True, Confirmation.NEVER_BOUND)


async def test_the_finalizer_waits_until_all_is_published(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        life.lose_log()
        await life.set_status(pod.name, succeeded())
        await life.delete(pod.name)
        await asyncio.sleep(0.5)
        assert await life.is_held(pod.name)
        life.find_log()
        await scheduler.until(RunPhase.SUCCEEDED)
        await eventually(lambda: _not(life.exists(pod.name)))


async def test_the_agent_itself_deletes_no_pod_of_a_run(tmp_path: Path) -> None:
    """Neither a category nor a time makes it: it would destroy what confirms the end."""
    deleting = "errorCategories: {categories: [{name: oom, action: Delete, rules: [{onConditions: [OOMKilled]}]}]}"
    run: dict[str, Any] = {"run": {**TAKES_RUNS["run"], "label": "failure-agent.dev/run", "podKillTimeout": "100ms"}}
    async with living(tmp_path) as life, life.agent(text=deleting, **run):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        await life.fail(pod.name, code=137, reason="OOMKilled")
        (told,) = await scheduler.until(Failure)
        scheduler.send(create(name="other"), run="r2")
        other = await scheduler.created(run="r2")
        scheduler.start(other, run="r2")
        await scheduler.until(RunPhase.PENDING, run="r2")
        await scheduler.bound(other)
        scheduler.stop(other, run="r2")
        await eventually(lambda: _is_deleted(life.api, "other"))
        await asyncio.sleep(0.5)
        found = await life.api.get(f"{PODS}/other")
        assert await life.exists(pod.name)

    assert told.confirmed is Confirmation.CONTAINERS
    assert found["metadata"]["deletionGracePeriodSeconds"] == 5, "stopped with its own grace period, never by force"


async def test_a_command_that_can_never_be_handled_is_a_dead_letter(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        scheduler.send(create(), cluster_id="another")
        scheduler.send_bytes(b"\xff")
        others = await life.create("others")
        not_ours = PodReference(namespace="default", name="others", uid=others["metadata"]["uid"])
        scheduler.stop(not_ours)
        scheduler.discard(not_ours)
        scheduler.stop(PodReference(namespace="other", name=pod.name, uid=pod.uid))
        await eventually(lambda: len(scheduler.dead_letters()) == 5)

        assert not await _is_deleted(life.api, pod.name)
        assert not await _is_deleted(life.api, "others")


async def test_a_pod_is_stopped_by_its_uid_whatever_its_labels_say_now(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        pod = await scheduler.running()
        await life.api.patch(f"{PODS}/{pod.name}", WITHOUT_LABELS)
        scheduler.stop(pod)
        await eventually(lambda: _is_deleted(life.api, pod.name))


async def test_a_replica_that_never_saw_the_labels_stops_a_pod_too(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        async with life.agent(**TAKES_RUNS):
            scheduler = await Scheduler.of(life)
            pod = await scheduler.running()
        await life.api.patch(f"{PODS}/{pod.name}", WITHOUT_LABELS)
        async with life.agent(**TAKES_RUNS, spool={"path": str(life.folder / "other.db")}):
            scheduler.stop(pod)
            await eventually(lambda: _is_deleted(life.api, pod.name))

    assert scheduler.dead_letters() == []


async def test_runs_are_offered_once_no_command_can_get_lost(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        await eventually(lambda: any(beat.runs is not None for beat in _beats(life.published(HEARTBEATS))))
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        await scheduler.created()
    offers = [beat.runs for beat in _beats(life.published(HEARTBEATS)) if beat.runs is not None]

    assert {(offer.namespaces, offer.max_runs) for offer in offers} == {(("default", "none"), 10)}


async def test_commands_are_taken_again_when_the_broker_is_back(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS) as running:
        scheduler = await Scheduler.of(life)
        await ready(running)
        commands = running.agent.commands
        assert commands is not None
        life.lose_log()
        await eventually(lambda: (commands.check() or "").startswith("commands cannot be taken: "))
        life.find_log()
        scheduler.send(create())
        await scheduler.created()

        assert commands.check() is None


async def test_a_cluster_that_takes_no_runs_offers_none_and_creates_nothing(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent():
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        await eventually(lambda: len(life.published(HEARTBEATS)) > 3)
        assert await scheduler.pods() == []

    assert all(beat.runs is None for beat in _beats(life.published(HEARTBEATS)))


async def test_a_cluster_that_takes_no_new_runs_still_stops_those_it_has(tmp_path: Path) -> None:
    no_new: dict[str, Any] = {"run": {**TAKES_RUNS["run"], "maxRuns": 0}}
    async with living(tmp_path) as life:
        scheduler = await Scheduler.of(life)
        async with life.agent(**TAKES_RUNS):
            pod = await scheduler.running()
        async with life.agent(**no_new):
            scheduler.stop(pod)
            await eventually(lambda: _is_deleted(life.api, pod.name))
            await eventually(lambda: any(_offers_none(beat) for beat in _beats(life.published(HEARTBEATS))))


async def test_the_pod_has_what_others_need_to_know(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        await scheduler.created()
        (made,) = await scheduler.pods()

    assert made["metadata"]["finalizers"] == [FINALIZER]
    assert made["spec"]["schedulingGates"] == [{"name": START_GATE}]
    assert made["spec"]["restartPolicy"] == "Never"


def _beats(payloads: list[bytes]) -> list[Any]:
    return [heartbeat.decode(payload) for payload in payloads]


async def _is_deleted(api: Api, name: str) -> bool:
    return "deletionTimestamp" in (await api.get(f"{PODS}/{name}"))["metadata"]


async def _not(question: Awaitable[bool]) -> bool:
    return not await question


def _offers_none(beat: Heartbeat) -> bool:
    return beat.runs is not None and beat.runs.max_runs == 0
