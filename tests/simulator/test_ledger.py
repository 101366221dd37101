"""What the ledger of containers knows, also of pods that are gone."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.simulator.gates import GATE
from agent.simulator.kinds import PODS
from agent.simulator.ledger import LivedContainer, overlaps
from agent.simulator.script import Exit, Script, ScriptStep, Stop
from agent.simulator.simulation import Simulation
from tests.simulator.api import Api, Json
from tests.simulator.playing import playing, rows, until

START = datetime(2026, 1, 2, tzinfo=UTC)
JOB = {"failure-agent.dev/job": "job-1", "failure-agent.dev/run": "run-1"}
MINE = ("default", "mine")
RUNNING = (ScriptStep(bind="shared"), ScriptStep(running=("main",)))


def endless(stop: Stop | None = None) -> dict[str, Script]:
    """Scripts that run until somebody stops them, which they take so."""
    restart = ScriptStep(after="1s", restarted={"main": Exit(exit_code=1)})
    steps = {"endless": RUNNING, "restarting": (*RUNNING, restart)}
    return {
        name: Script(
            name=name, kind="success", source="none", steps=(*begun, ScriptStep(after="1h")), stop=stop or Stop()
        )
        for name, begun in steps.items()
    }


def make(simulation: Simulation, *gates: str, name: str = "mine", script: str = "endless", **meta: object) -> str:
    annotations = {"simulator.failure-agent.dev/script": script}
    spec = {
        "containers": [{"name": "main", "image": "a"}],
        "schedulingGates": [{"name": gate} for gate in gates],
        "terminationGracePeriodSeconds": 20,
    }
    body = {"metadata": {"name": name, "labels": JOB, "annotations": annotations, **meta}, "spec": spec}
    uid: str = simulation.registry.create(PODS, body, namespace="default")["metadata"]["uid"]
    return uid


def ungate(simulation: Simulation, name: str) -> None:
    def change(pod: Json) -> Json:
        return {**pod, "spec": {**pod["spec"], "schedulingGates": None}}

    simulation.registry.change(PODS, ("default", name), change, status=False)


async def running(simulation: Simulation, uid: str) -> None:
    await until(simulation, lambda: simulation.ledger.lives(uid))


async def test_it_outlives_a_pod_that_is_deleted_by_force() -> None:
    async with playing(None, endless(Stop(after="10s"))) as simulation:
        uid = make(simulation)
        await running(simulation, uid)
        simulation.registry.delete(PODS, MINE, {"gracePeriodSeconds": 0})
        gone, lives = simulation.registry.store.get(PODS, MINE), simulation.ledger.lives(uid)
        (living,) = simulation.ledger.containers
        await until(simulation, lambda: not simulation.ledger.lives(uid))
        (ended,) = simulation.ledger.containers

    assert (gone, lives, living.ended_at) == (None, True, None)
    assert (ended.pod_uid, ended.pod, ended.container) == (uid, "mine", "main")
    assert (ended.job_id, ended.run_id, ended.gated) == ("job-1", "run-1", False)
    assert ended.ended_at is not None
    assert ended.ended_at - ended.started_at > timedelta(seconds=0.2), "ten seconds, forty times as fast"


@pytest.mark.parametrize(
    ("stop", "grace", "code"),
    [
        (Stop(), 20, 143),
        (Stop(after="5s", exit=Exit(exit_code=0, reason="Completed")), 20, 0),
        (Stop(after="1h"), 2, 137),
        (Stop(after="5s"), 0, 137),
    ],
)
async def test_a_deletion_stops_the_containers_within_their_grace(stop: Stop, grace: int, code: int) -> None:
    async with playing(None, endless(stop)) as simulation:
        uid = make(simulation, finalizers=["example.dev/hold"])
        await running(simulation, uid)
        simulation.registry.delete(PODS, MINE, {"gracePeriodSeconds": grace})
        marked = simulation.registry.get(PODS, MINE)["metadata"]
        await until(simulation, lambda: not simulation.ledger.lives(uid))
        held = simulation.registry.get(PODS, MINE)
        simulation.registry.change(PODS, MINE, without_finalizers, status=False)
        await until(simulation, lambda: simulation.registry.store.get(PODS, MINE) is None)

    assert (marked["deletionGracePeriodSeconds"], "deletionTimestamp" in marked) == (grace, True)
    assert held["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == code
    assert held["status"]["phase"] == ("Failed" if code else "Succeeded")


def without_finalizers(pod: Json) -> Json:
    return {**pod, "metadata": {**pod["metadata"], "finalizers": []}}


async def test_a_deletion_stops_what_still_runs_in_a_pod_that_is_over() -> None:
    late = ScriptStep(phase="Failed", reason="DeadlineExceeded")
    script = Script(name="endless", kind="deadline", source="none", steps=(*RUNNING, late, ScriptStep(after="1h")))
    async with playing(None, {"endless": script}) as simulation:
        uid = make(simulation, finalizers=["example.dev/hold"])
        await until(simulation, lambda: simulation.registry.get(PODS, MINE)["status"]["phase"] == "Failed")
        lives = simulation.ledger.lives(uid)
        simulation.registry.delete(PODS, MINE, {})
        await until(simulation, lambda: not simulation.ledger.lives(uid))
        status = simulation.registry.get(PODS, MINE)["status"]

    assert lives
    assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143


async def test_a_second_deletion_shortens_the_grace_of_the_first() -> None:
    async with playing(None, endless(Stop(after="1h"))) as simulation:
        uid = make(simulation, finalizers=["example.dev/hold"])
        await running(simulation, uid)
        for grace in (3000, 2):
            simulation.registry.delete(PODS, MINE, {"gracePeriodSeconds": grace})
        await until(simulation, lambda: not simulation.ledger.lives(uid))
        state = simulation.registry.get(PODS, MINE)["status"]["containerStatuses"][0]["state"]

    assert state["terminated"]["exitCode"] == 137


async def test_a_new_pod_under_the_name_of_one_that_is_being_removed_is_left_alone() -> None:
    async with playing(None, endless()) as simulation:
        first = make(simulation)
        await running(simulation, first)
        simulation.registry.delete(PODS, MINE, {})
        await until(simulation, lambda: not simulation.ledger.lives(first))
        simulation.registry.delete(PODS, MINE, {"gracePeriodSeconds": 0})
        second = make(simulation, name="mine")
        other = make(simulation, name="other")
        await running(simulation, other)
        simulation.registry.delete(PODS, ("default", "other"), {})
        await until(simulation, lambda: simulation.registry.store.get(PODS, ("default", "other")) is None)

    assert simulation.registry.get(PODS, MINE)["metadata"]["uid"] == second


async def test_the_record_says_whose_run_ended_by_the_same_labels(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    async with playing(None, endless(), record=record) as simulation:
        uid = make(simulation)
        await running(simulation, uid)
        simulation.registry.delete(PODS, MINE, {})
        await until(simulation, lambda: simulation.registry.store.get(PODS, MINE) is None)

    (row,) = rows(record)
    assert (row["job_id"], row["run_id"], row["pod_uid"], row["kind"]) == ("job-1", "run-1", uid, "deleted")


async def test_a_restart_is_another_container() -> None:
    async with playing(None, endless()) as simulation:
        uid = make(simulation, script="restarting")
        await until(simulation, lambda: len(simulation.ledger.containers) == 2)
        first, second = simulation.ledger.containers

    assert (first.pod_uid, second.pod_uid, second.ended_at) == (uid, uid, None)
    assert first.ended_at is not None
    assert first.container_id != second.container_id
    assert overlaps([first, second]) == []


async def test_two_pods_of_a_job_that_had_the_gate_overlap() -> None:
    async with playing(None, endless()) as simulation:
        gated = [make(simulation, GATE, "example.org/queue", name=name) for name in ("mine", "again")]
        ungated = make(simulation, name="other")
        for name in ("mine", "again"):
            ungate(simulation, name)
        for uid in (*gated, ungated):
            await running(simulation, uid)
        async with aiohttp.ClientSession() as session:
            said = await Api(session, simulation.url).get("/simulator/containers")

    assert {each["pod_uid"]: each["gated"] for each in said["containers"]} == dict.fromkeys(gated, True) | {
        ungated: False
    }
    (overlap,) = said["overlaps"]
    assert (sorted(overlap["pod_uids"]), overlap["job_id"]) == (sorted(gated), "job-1")


async def test_containers_of_which_a_client_is_the_kubelet_end_with_their_pod() -> None:
    async with playing(None, {}) as simulation:
        spec = {"containers": [{"name": "main", "image": "a"}], "nodeName": "n1"}
        simulation.registry.create(PODS, {"metadata": {"name": "mine"}, "spec": spec}, namespace="default")
        status = {"phase": "Running", "containerStatuses": [{"name": "main", "state": {"running": {}}}]}
        simulation.registry.write_status(MINE, status)
        (living,) = simulation.ledger.containers
        simulation.registry.delete(PODS, MINE, {"gracePeriodSeconds": 0})
        (ended,) = simulation.ledger.containers

    assert (living.ended_at, ended.ended_at is None) == (None, False)


def lived(uid: str, start: int, end: int | None, *, job: str = "job-1", gated: bool = True) -> LivedContainer:
    return LivedContainer(
        pod_uid=uid,
        namespace="default",
        pod=uid,
        job_id=job,
        run_id=uid,
        gated=gated,
        container="main",
        container_id=f"{uid}-{start}",
        started_at=START + timedelta(seconds=start),
        ended_at=None if end is None else START + timedelta(seconds=end),
    )


@pytest.mark.parametrize(
    ("containers", "pairs"),
    [
        ([lived("a", 0, 2), lived("b", 2, 4)], []),
        ([lived("a", 0, 3), lived("b", 2, 4)], [("a", "b")]),
        ([lived("b", 2, 4), lived("a", 0, None)], [("a", "b")]),
        ([lived("a", 0, 3), lived("a", 2, 4)], []),
        ([lived("a", 0, 3), lived("b", 2, 4, job="job-2")], []),
        ([lived("a", 0, 3), lived("b", 2, 4, gated=False)], []),
        ([lived("a", 0, 3, job=""), lived("b", 2, 4, job="")], []),
        ([lived("a", 0, 9), lived("a", 1, 9), lived("b", 2, 4), lived("b", 5, 6)], [("a", "b")]),
        ([lived("a", 0, 9), lived("b", 2, 4), lived("c", 3, 6)], [("a", "b"), ("a", "c"), ("b", "c")]),
    ],
)
def test_an_overlap_is_two_gated_pods_of_one_job_at_once(
    containers: Sequence[LivedContainer], pairs: Sequence[tuple[str, str]]
) -> None:
    assert sorted(each.pod_uids for each in overlaps(containers)) == list(pairs)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 20), st.integers(1, 5)), max_size=8))
def test_two_pods_overlap_if_at_some_second_both_lived(spans: Sequence[tuple[str, int, int]]) -> None:
    found = overlaps([lived(uid, start, start + length) for uid, start, length in spans])
    expected = {
        frozenset((first, second))
        for first, since, length in spans
        for second, later, other in spans
        if first != second and {*range(since, since + length)} & {*range(later, later + other)}
    }
    assert {frozenset(each.pod_uids) for each in found} == expected
