"""Lists of the pods of runs from a whole agent: what the API server has, when it is asked for and at the beginning."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from agent.core.failure import Failure
from agent.core.identity.labels import JOB, QUEUE, RUN
from agent.core.run_event import Confirmation, ListedRun, PodReference, RunCreated, RunPhase, RunsListed
from agent.kube import pod_list
from agent.kube.finalizer import FINALIZER
from tests.cluster.living import Living, eventually, failed, living
from tests.cluster.runs.commanding import AT, TAKES_RUNS, Scheduler, create, ready
from tests.cluster.runs.crashing import Crash
from tests.cluster.runs.nodes import LEASE, replica, two_nodes
from tests.simulator.api import pod
from tests.tables import table

pytestmark = pytest.mark.slow

CRASHES = table(Path(__file__).with_name("crashes.yaml"))
MINUTE = timedelta(minutes=1)
LABELS = {JOB: "j1", RUN: "r1", QUEUE: "physics"}


def by_name(page: RunsListed) -> dict[str, ListedRun]:
    return {run.pod.name: run for run in page.runs}


def handled() -> float:
    labels = {"command": "list", "outcome": "done"}
    return REGISTRY.get_sample_value("failure_agent_run_commands_total", labels) or 0.0


def dropped(reason: str) -> float:
    return REGISTRY.get_sample_value("failure_agent_run_lists_dropped_total", {"reason": reason}) or 0.0


async def put(life: Living, name: str, *, namespace: str = "default", **labels: str) -> PodReference:
    body = pod(name, labels=labels or LABELS, finalizers=[FINALIZER, "example.dev/keep"])
    made = await life.api.create(f"/api/v1/namespaces/{namespace}/pods", body)
    return PodReference(namespace=namespace, name=name, uid=made["metadata"]["uid"])


async def test_a_term_begins_with_a_list_of_the_pods_of_runs_in_the_namespaces_of_runs(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        ours = await put(life, "ours")
        await put(life, "of-armada", armada_job_id="j9")
        await put(life, "half", **{JOB: "j1"})
        await put(life, "elsewhere", namespace="other")
        async with life.agent(**TAKES_RUNS):
            scheduler = await Scheduler.of(life)
            page = await scheduler.listed(None)

    assert page.runs == (
        ListedRun(pod=ours, job_id="j1", run_id="r1", queue="physics", phase=RunPhase.PENDING, gated=False),
    )
    assert (page.page, page.pages, page.cluster_id, page.cluster) == (0, 1, scheduler.cluster_id, "east")


async def test_a_cluster_without_runs_says_so(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        page = await (await Scheduler.of(life)).listed(None)

    assert (page.runs, page.pages) == ((), 1)


async def test_an_agent_that_takes_no_runs_lists_none(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent() as running:
        assert running.agent.runs == ()


async def test_a_list_says_of_a_run_what_was_reported(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create(name="gated"), run="gated")
        await scheduler.created(run="gated")
        running = await scheduler.running()
        await put(life, "fails")
        await life.fail("fails")
        await put(life, "deleted")
        await life.delete("deleted")
        await scheduler.until(Failure, times=2)

        scheduler.list_runs(AT + MINUTE)
        found = by_name(await scheduler.listed(AT + MINUTE))

    assert found.keys() == {"gated", running.name, "fails", "deleted"}
    assert {name: (run.phase, run.gated, run.confirmed) for name, run in found.items()} == {
        "gated": (RunPhase.PENDING, True, None),
        running.name: (RunPhase.RUNNING, False, None),
        "fails": (RunPhase.FAILED, False, Confirmation.CONTAINERS),
        "deleted": (RunPhase.PENDING, False, Confirmation.NEVER_BOUND),
    }
    assert found[running.name].pod == PodReference(namespace="default", name=running.name, uid=running.uid, node="n1")
    assert scheduler.of_run("r1", RunCreated)[0].pod.uid == running.uid


async def test_many_that_were_asked_for_in_an_absence_are_few_lists(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        scheduler = await Scheduler.of(life)
        before = handled()
        for number in range(300):
            scheduler.list_runs(AT + number * MINUTE)
        async with life.agent(**TAKES_RUNS):
            await scheduler.listed(AT + 299 * MINUTE)
            await eventually(lambda: handled() == before + 300)
        lists = scheduler.lists()
        async with life.agent(**TAKES_RUNS) as running:
            await ready(running)
            await eventually(lambda: len(scheduler.lists()) > len(lists))
            assert [page.as_of for page in scheduler.lists()[len(lists) :]] == [None], "all were acknowledged"

    assert len(lists) <= 4
    assert scheduler.dead_letters() == []


async def test_any_command_says_how_late_it_is(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.send(create())
        made = await scheduler.created()
        scheduler.list_runs(AT - MINUTE)
        page = await scheduler.listed(AT)

    assert [run.pod.uid for run in page.runs] == [made.uid]


async def test_a_list_for_another_cluster_is_refused_and_says_nothing_of_the_time(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        scheduler.list_runs(AT + MINUTE, cluster_id="of-another")
        await eventually(lambda: len(scheduler.dead_letters()) == 1)
        scheduler.list_runs(AT)
        await scheduler.listed(AT)

    assert max(page.as_of or AT for page in scheduler.lists()) == AT


@pytest.mark.parametrize("code", [403, 410])
async def test_a_list_that_fails_is_tried_again_and_is_whole(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pod_list, "_PAGE", 2)
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        await scheduler.listed(None)
        names = [f"p{number}" for number in range(7)]
        for name in names:
            await put(life, name)
        await life.api.add_fault(kind="status", verb="list", resource="pods", code=code, times=2)
        scheduler.list_runs(AT)
        page = await scheduler.listed(AT)
        sent = sum(each.as_of == AT for each in scheduler.lists())

    assert [run.pod.name for run in page.runs] == names
    assert sent == 1


async def test_what_is_no_longer_in_a_list_was_reported_before_it(tmp_path: Path) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS):
        scheduler = await Scheduler.of(life)
        made = await scheduler.running()
        await life.set_status(made.name, {**failed(code=0, reason="Completed"), "phase": "Succeeded"})
        await eventually(lambda: _released(life, made.name))
        await life.delete(made.name, gracePeriodSeconds=0)
        scheduler.list_runs(AT + MINUTE)
        page = await scheduler.listed(AT + MINUTE)
        before = scheduler.events_before(page)

    assert page.runs == ()
    assert (made.uid, RunPhase.SUCCEEDED) in [(event.pod.uid, event.event) for event in before]


async def _released(life: Living, name: str) -> bool:
    return not await life.is_held(name)


@pytest.mark.parametrize(
    ("changed", "as_of"),
    [({"lease": LEASE}, AT), ({"release": "spooled"}, AT), ({"lease": LEASE, "release": "spooled"}, None)],
)
async def test_lists_prove_no_absence_where_reports_of_other_processes_may_follow_them(
    changed: dict[str, Any], as_of: datetime | None, tmp_path: Path
) -> None:
    async with living(tmp_path) as life, life.agent(**TAKES_RUNS, **changed):
        scheduler = await Scheduler.of(life)
        await eventually(lambda: len(scheduler.lists()) == 1)
        scheduler.list_runs(AT)
        await eventually(lambda: len(scheduler.lists()) == 2)

    assert scheduler.lists()[-1].as_of == as_of


@pytest.mark.parametrize("row", [row for row in CRASHES if row["way"] == "is listed"], ids=str)
async def test_an_agent_that_dies_still_gives_the_list_that_was_asked_for_once(
    row: dict[str, str], tmp_path: Path
) -> None:
    crash = Crash(row["step"], at=row["at"])
    async with living(tmp_path) as life:
        scheduler = await Scheduler.of(life)
        ours = await put(life, "ours")
        scheduler.list_runs(AT)
        async with life.agent(parts=crash.parts, **TAKES_RUNS) as first:
            await crash.reached.wait()
            await first.kill()
        async with life.agent(**TAKES_RUNS) as running:
            page = await scheduler.listed(AT)
            await ready(running)

    assert [run.pod for run in page.runs] == [ours]
    assert scheduler.dead_letters() == []


async def test_in_mode_daemonset_the_elected_process_lists_the_pods_of_all_nodes(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        scheduler = await Scheduler.of(life)
        async with two_nodes(life):
            scheduler.send(create(name="gated"), run="gated")
            await scheduler.created(run="gated")
            other = await scheduler.running(node="n2")
            scheduler.list_runs(AT + MINUTE)
            found = by_name(await scheduler.listed(AT + MINUTE))

    assert {name: (run.phase, run.gated) for name, run in found.items()} == {
        "gated": (RunPhase.PENDING, True),
        other.name: (RunPhase.RUNNING, False),
    }
    assert found[other.name].pod.node == "n2"
    assert [page.as_of for page in scheduler.lists()].count(None) == 1, "one process is elected"


async def test_the_next_leader_lists_and_what_the_last_one_had_in_hand_is_answered(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        ours = await put(life, "ours")
        scheduler = await Scheduler.of(life)
        async with life.agent(**replica(life, "a")) as first:
            await scheduler.listed(None)
            async with life.agent(**replica(life, "b")):
                before = dropped("refused")
                await life.api.add_fault(kind="status", verb="list", resource="pods", code=503)
                scheduler.list_runs(AT)
                await eventually(lambda: dropped("refused") > before)
                await first.kill()
                assert [page.as_of for page in scheduler.lists()] == [None], "the standby lists nothing"
                await life.api.clear_faults()
                page = await scheduler.listed(AT)

    assert [run.pod for run in page.runs] == [ours]
    assert {each.as_of for each in scheduler.lists()} == {None, AT}
