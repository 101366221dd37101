import random
from pathlib import Path

import msgspec
import pytest

from agent.kube import objects
from agent.simulator.job import FINALIZER, HOLD_LABEL, new_job, pod_of
from agent.simulator.kinds import EVENTS, NODES, PODS
from agent.simulator.script import Script, ScriptError, ScriptStep, load_scripts
from agent.simulator.simulation import Simulation
from tests.simulator.api import Json
from tests.simulator.playing import playing, quick, rows, shipped, until
from tests.tables import table

EXPECTED: dict[str, Json] = table(Path(__file__).with_name("scripts.yaml"))
PLAN, SCRIPTS = shipped()
ENDLESS = "{name: endless, kind: success, source: none, steps: [{bind: shared, running: [main]}, {after: 1h}]}"


def test_every_shipped_script_is_expected_and_says_where_it_comes_from() -> None:
    assert SCRIPTS.keys() == EXPECTED.keys()
    assert all(script.source for script in SCRIPTS.values())
    assert len({script.kind for script in SCRIPTS.values() if script.fails}) >= 14


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_script_leaves_a_pod_as_a_real_kubelet_would(name: str, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    plan = quick(PLAN, rate=0.001, sweep="0s", retries=0, cleanup="10m")
    record = tmp_path / "record.jsonl"
    async with playing(plan, {name: SCRIPTS[name]}, record=record) as simulation:
        await until(simulation, lambda: simulation.status()["created"] == 1 and simulation.status()["running"] == 0)
        pod = next(simulation.registry.store.all(PODS)).object
        written = {stored.object["reason"] for stored in simulation.registry.store.all(EVENTS)}
        conditions = [
            each for node in simulation.registry.store.all(NODES) for each in node.object["status"]["conditions"]
        ]
    check_pod(pod, expected)
    assert set(expected.get("events", ())) <= written
    if "node" in expected:
        assert {"type": expected["node"], "status": "True"} in [
            {"type": each["type"], "status": each["status"]} for each in conditions
        ]
    ended = [row for row in rows(record) if not row["in_run"]]
    assert [row["kind"] for row in ended] == ([expected["recorded"]] if expected["recorded"] else [])
    assert [row["pod_uid"] for row in ended] == [pod["metadata"]["uid"]] * len(ended)
    assert len(rows(record)) - len(ended) == expected.get("restarts", 0)


def check_pod(pod: Json, expected: Json) -> None:
    status = pod["status"]
    assert status["phase"] == expected["phase"]
    assert status.get("reason") == expected.get("reason")
    assert ("deletionTimestamp" in pod["metadata"]) is expected.get("deleted", False)
    for field, said in (("containerStatuses", "main"), ("initContainerStatuses", "init")):
        states = [each["state"] for each in status.get(field) or ()]
        assert (said in expected) is bool(states)
        for kind, facts in expected.get(said, {}).items():
            assert facts.items() <= states[0][kind].items()
    reasons = [each["reason"] for each in status["conditions"] if each["type"] == "DisruptionTarget"]
    assert reasons == ([expected["disruption"]] if "disruption" in expected else [])
    assert msgspec.json.decode(msgspec.json.encode(pod), type=objects.Pod).status.phase == expected["phase"]


async def test_the_pods_of_a_workload_say_whose_they_are() -> None:
    job = new_job(PLAN, SCRIPTS["sidecar-crash"], random.Random(1))  # noqa: S311 - a fixed course
    pod = pod_of(job, hold=True)
    meta = pod["metadata"]
    assert meta["labels"].keys() >= {"armada_job_id", "armada_job_run_id", "armada_queue_id", HOLD_LABEL}
    assert meta["annotations"].keys() >= {"armada_jobset_id", "failure-agent.dev/containers"}
    assert meta["finalizers"] == [FINALIZER]
    assert [each["name"] for each in pod["spec"]["containers"]] == ["main", "proxy"]
    following = pod_of(job.next_run(random.Random(2)), hold=False)["metadata"]  # noqa: S311 - a fixed course
    assert following["labels"]["armada_job_id"] == meta["labels"]["armada_job_id"]
    assert following["labels"]["armada_job_run_id"] != meta["labels"]["armada_job_run_id"]
    assert following["labels"]["armada_job_run_index"] == "1"
    assert "finalizers" not in following


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scripts: [{name: a}]", "missing required field `kind` - at `$.scripts[0]`"),
        ("scripts: [{name: a, kind: b, source: c, steps: [{afterwards: 1s}]}]", "unknown field `afterwards`"),
        ("scripts: [{name: a, kind: b, source: c, steps: [{after: soon}]}]", "'soon' is no duration"),
        ("scripts: [{name: a, kind: b, source: c, steps: [{record: end}, {record: halt}]}]", "records its end twice"),
        ("scripts: [{name: 'a,b', kind: b, source: c, steps: []}]", "the name of the script 'a,b' has a ','"),
        ("scripts: [{name: a, kind: b, source: c, steps: [], stop: {after: soon}}]", "'soon' is no duration"),
        ("scripts: [", "did not find expected node content"),
        ("[]", "Expected `object`, got `array`"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "scripts.yaml"
    path.write_text(text)
    with pytest.raises(ScriptError) as refused:
        load_scripts((path,))
    assert str(path) in str(refused.value)
    assert said in str(refused.value)


def test_names_of_scripts_are_unique(tmp_path: Path) -> None:
    path = tmp_path / "scripts.yaml"
    path.write_text("scripts: [{name: a, kind: b, source: c, steps: []}, {name: a, kind: b, source: c, steps: []}]")
    with pytest.raises(ScriptError, match="two scripts a"):
        load_scripts((path,))


def test_a_step_that_only_waits_writes_nothing() -> None:
    assert not ScriptStep(after="1s", record="halt").writes_status


async def running_pod(simulation: Simulation) -> Json:
    await until(simulation, lambda: any(_runs(stored.object) for stored in simulation.registry.store.all(PODS)))
    return next(simulation.registry.store.all(PODS)).object


def _runs(pod: Json) -> bool:
    return bool(pod["status"]["phase"] == "Running")


@pytest.mark.parametrize("grace", [0, 30])
async def test_a_run_that_a_client_deletes_has_ended(grace: int, tmp_path: Path) -> None:
    endless = load_one(tmp_path, ENDLESS)
    record = tmp_path / "record.jsonl"
    plan = quick(PLAN, rate=0.001, sweep="0s", hold=False)
    async with playing(plan, endless, record=record) as simulation:
        pod = await running_pod(simulation)
        key = (pod["metadata"]["namespace"], pod["metadata"]["name"])
        simulation.registry.delete(PODS, key, {"gracePeriodSeconds": grace})
        await until(simulation, lambda: simulation.registry.store.get(PODS, key) is None)
        await until(simulation, lambda: simulation.status()["running"] == 0)
    (row,) = rows(record)
    assert (row["kind"], row["pod_uid"], row["in_run"]) == ("deleted", pod["metadata"]["uid"], False)


async def test_a_held_pod_that_a_client_deletes_shows_its_end(tmp_path: Path) -> None:
    endless = load_one(tmp_path, ENDLESS)
    async with playing(quick(PLAN, rate=0.001, sweep="0s"), endless) as simulation:
        pod = await running_pod(simulation)
        key = (pod["metadata"]["namespace"], pod["metadata"]["name"])
        simulation.registry.delete(PODS, key, {})
        await until(simulation, lambda: simulation.registry.get(PODS, key)["status"]["phase"] == "Failed")
        left = simulation.registry.get(PODS, key)
    assert left["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143


def load_one(tmp_path: Path, text: str) -> dict[str, Script]:
    path = tmp_path / "scripts.yaml"
    path.write_text(f"scripts: [{text}]")
    return load_scripts((path,))
