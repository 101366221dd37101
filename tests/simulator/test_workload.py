import random
from collections import Counter
from pathlib import Path

import pytest

from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.simulator.job import new_job
from agent.simulator.kinds import PODS
from agent.simulator.plan import Plan, PlanError, load_plan
from agent.simulator.script import Script
from agent.simulator.simulation import Simulation
from tests.simulator.api import pod
from tests.simulator.playing import playing, quick, rows, shipped, until

PLAN, SCRIPTS = shipped()


def release(simulation: Simulation) -> None:
    """Do as an agent that has told of every pod."""
    for stored in list(simulation.registry.store.all(PODS)):
        if stored.object["status"]["phase"] != "Succeeded":
            take_off(simulation, stored.key)


def take_off(simulation: Simulation, key: tuple[str, str]) -> None:
    simulation.registry.change(
        PODS,
        key,
        lambda pod: {**pod, "metadata": {name: each for name, each in pod["metadata"].items() if name != "finalizers"}},
        status=False,
    )


async def test_every_script_is_played_and_every_end_is_recorded_once(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    async with playing(quick(PLAN, duration="8s", rate=5.0), SCRIPTS, record=record) as simulation:
        await until(simulation, lambda: bool(simulation.status()["done"]))
        status = simulation.status()
    ended = [row for row in rows(record) if not row["in_run"]]
    assert {row["script"] for row in ended} == {name for name, script in SCRIPTS.items() if script.fails}
    assert len({row["run_id"] for row in ended}) == len({row["pod_uid"] for row in ended}) == len(ended)
    assert (status["ended"], status["in_run"]) == (len(ended), len(rows(record)) - len(ended))
    assert status["created"] > len(SCRIPTS)
    assert status["running"] == 0


async def test_some_jobs_are_tried_again(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    plan = quick(PLAN, duration="20s", rate=2.0, retried=1.0, retries=2)
    async with playing(plan, {"oom": SCRIPTS["oom"]}, record=record) as simulation:
        await until(simulation, lambda: bool(simulation.status()["done"]))
    runs = Counter(row["job_id"] for row in rows(record))
    assert max(runs.values()) == 3
    names = {row["name"] for row in rows(record)}
    assert len(names) == len(rows(record))


@pytest.mark.slow
async def test_it_stays_small_once_the_agent_lets_go() -> None:
    plan = quick(PLAN, duration="5s", rate=5.0, cleanup="1s", event_life="1s")
    async with playing(plan, SCRIPTS) as simulation:
        await until(simulation, lambda: bool(simulation.status()["done"]))
        release(simulation)
        for stored in list(simulation.registry.store.all(PODS)):
            take_off(simulation, stored.key)
        store = simulation.registry.store
        await until(simulation, lambda: not store.collections["pods"].objects)
        await until(simulation, lambda: len(store.collections["nodes"].objects) == plan.nodes)
        await until(simulation, lambda: not store.collections["events"].objects)
        assert simulation.kubelet.playing == 0


async def test_a_run_whose_pod_is_gone_before_its_script_is_over_has_ended() -> None:
    plan = quick(PLAN, duration="1s", rate=0.001, sweep="0s", retries=0, hold=False)
    async with playing(plan, {"node-lost": SCRIPTS["node-lost"]}) as simulation:
        await until(simulation, lambda: bool(simulation.status()["done"]))

        assert not simulation.registry.store.collections["pods"].objects


async def test_a_halted_run_waits_for_the_agent_before_it_is_deleted() -> None:
    plan = quick(PLAN, duration="1s", rate=0.001, sweep="0s", cleanup="0s", retries=0)
    async with playing(plan, {"image-not-found": SCRIPTS["image-not-found"]}) as simulation:
        await until(simulation, lambda: bool(simulation.status()["done"]))
        (stored,) = simulation.registry.store.all(PODS)
        assert "deletionTimestamp" not in stored.object["metadata"]
        take_off(simulation, stored.key)
        await until(simulation, lambda: not simulation.registry.store.collections["pods"].objects)


@pytest.mark.parametrize(("other", "same"), [((1, "a"), True), ((2, "a"), False), ((1, "b"), False)])
async def test_a_seed_is_a_course_and_two_clusters_have_two(other: tuple[int, str], *, same: bool) -> None:
    assert (await jobs_of(1, "a") == await jobs_of(*other)) is same


async def jobs_of(seed: int, cluster: str) -> list[str]:
    plan = quick(PLAN, seed=seed, sweep="0s", rate=0.001)
    async with playing(plan, SCRIPTS, cluster=cluster) as simulation:
        await until(simulation, lambda: simulation.status()["created"] == len(SCRIPTS))
        return sorted(stored.key[1] for stored in simulation.registry.store.all(PODS))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rate: fast", "Expected `float`, got `str` - at `$.rate`"),
        ("duration: long", "'long' is no duration"),
        ("nodes: 0", "needs a namespace, a queue and a node"),
        ("speed: 3", "unknown field `speed`"),
        ("retryAfter: [", "did not find expected node content"),
    ],
)
def test_a_workload_that_cannot_be_used_is_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "workload.yaml"
    path.write_text(text)
    with pytest.raises(PlanError) as refused:
        load_plan(path)
    assert str(path) in str(refused.value)
    assert said in str(refused.value)


def test_only_jobs_of_the_named_kinds_come_again() -> None:
    plan = Plan(retried=1.0, retries=2, again=("oom",))
    rng = random.Random(1)  # noqa: S311 - a course that can be repeated, not a secret

    assert new_job(plan, Script(name="oom", kind="oom", source="-", steps=()), rng).retries_left == 2
    assert new_job(plan, Script(name="typo", kind="bad-command", source="-", steps=()), rng).retries_left == 0


async def test_the_pod_of_a_client_stays_and_is_not_counted() -> None:
    plan = quick(PLAN, duration="1ms", sweep="1ms", retried=0.0, cleanup="1s", hold=False)
    mine = pod("mine", annotations={SCRIPT_ANNOTATION: "oom"})
    async with playing(plan, {"oom": SCRIPTS["oom"]}) as simulation:
        simulation.registry.create(PODS, mine, namespace="default")
        pods = simulation.registry.store.collections[PODS.plural].objects
        await until(simulation, lambda: bool(simulation.status()["done"]) and len(pods) == 1)

        assert pods["default", "mine"].object["status"]["phase"] == "Failed"
        assert {name: simulation.status()[name] for name in ("created", "running")} == {"created": 1, "running": 0}
