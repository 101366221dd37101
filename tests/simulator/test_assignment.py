"""Which script a pod plays, and what a pod is told that can play none."""

from collections.abc import Sequence

import pytest

from agent.simulator.assignment import Unplayable, assign
from agent.simulator.kinds import EVENTS, PODS, Json
from agent.simulator.record import RUN_INDEX
from agent.simulator.script import Script
from agent.simulator.simulation import Simulation
from tests.simulator.playing import playing, shipped, until

_, SCRIPTS = shipped()
ANNOTATION = "simulator.failure-agent.dev/script"
GATED: Json = {"schedulingGates": [{"name": "wait"}]}


def made(
    simulation: Simulation,
    *containers: str,
    script: str | None,
    name: str = "mine",
    image: str = "python:3",
    finalizers: Sequence[str] = (),
    **spec: object,
) -> None:
    meta = {"name": name, "annotations": {} if script is None else {ANNOTATION: script}, "finalizers": [*finalizers]}
    listed = [{"name": each, "image": image} for each in containers]
    simulation.registry.create(PODS, {"metadata": meta, "spec": {"containers": listed, **spec}}, namespace="default")


def events(simulation: Simulation) -> list[Json]:
    return [stored.object for stored in simulation.registry.store.all(EVENTS)]


@pytest.mark.parametrize(
    ("containers", "script", "parts"),
    [
        (["main"], None, [f"has no annotation {ANNOTATION}; ", "one of these: oom, python-traceback, "]),
        (["main"], "oomm", [f"the annotation {ANNOTATION} names no script: oomm; ", "oom, python-traceback, "]),
        (
            ["train", "proxy"],
            "oom",
            ["the script oom plays main, the pod has train and proxy; ", "with containers of these names"],
        ),
        (
            ["train"],
            "sidecar-crash",
            ["the script sidecar-crash plays main and proxy, the pod has train; ", "with containers of these names"],
        ),
        (["main"], "oom, oomm", [f"the annotation {ANNOTATION} names no script: oomm; "]),
        (["main"], "oom,", [f"the annotation {ANNOTATION} names no script: ; "]),
        (["main"], "init-failure", ["the script init-failure plays git-sync, the pod has main"]),
    ],
)
async def test_a_pod_that_can_play_no_script_says_so(
    containers: list[str], script: str | None, parts: list[str]
) -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, *containers, script=script)
        await until(simulation, lambda: bool(events(simulation)))
        (event,) = events(simulation)
        pod = simulation.registry.get(PODS, ("default", "mine"))

    assert (event["type"], event["reason"]) == ("Warning", "FailedScheduling")
    assert event["source"] == {"component": "default-scheduler"}
    assert event["involvedObject"]["name"] == "mine"
    assert [part for part in parts if part not in event["message"]] == []
    assert pod["status"]["phase"] == "Pending"


@pytest.mark.parametrize("spec", [{"nodeName": "node-001"}, GATED])
async def test_a_pod_that_waits_for_no_scheduler_needs_no_script(spec: Json) -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "main", script=None, **spec)
        simulation.registry.create(
            PODS,
            {"metadata": {"name": "later"}, "spec": {"containers": [{"name": "a", "image": "a"}]}},
            namespace="default",
        )
        await until(simulation, lambda: bool(events(simulation)))
        named = [event["involvedObject"]["name"] for event in events(simulation)]

    assert named == ["later"]


@pytest.mark.parametrize("place", ["labels", "annotations"])
@pytest.mark.parametrize(
    ("index", "played"),
    [(None, "oom"), ("0", "oom"), ("1", "python-traceback"), ("2", "success"), ("3", "success"), ("17", "success")],
)
def test_each_run_of_a_job_plays_the_next_script(place: str, index: str | None, played: str) -> None:
    meta: Json = {"annotations": {ANNOTATION: "oom, python-traceback,success"}}
    said = {} if index is None else {RUN_INDEX: index}
    meta = {**meta, place: {**meta.get(place, {}), **said}}
    script = assign({"metadata": meta, "spec": {"containers": [{"name": "main"}]}}, SCRIPTS)
    assert isinstance(script, Script)
    assert script.name == played


def test_an_index_that_is_no_number_is_refused() -> None:
    meta = {"labels": {RUN_INDEX: "second"}, "annotations": {ANNOTATION: "oom"}}
    refused = assign({"metadata": meta, "spec": {"containers": [{"name": "main"}]}}, SCRIPTS)
    assert refused == Unplayable(f"{RUN_INDEX} is no number: second; delete the pod and create it with one from 0")


def ungate(simulation: Simulation) -> None:
    def change(pod: Json) -> Json:
        return {**pod, "spec": {**pod["spec"], "schedulingGates": None}}

    simulation.registry.change(PODS, ("default", "mine"), change, status=False)


async def test_a_gated_pod_plays_its_script_once_its_last_gate_is_off() -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "main", script="success", **GATED)
        made(simulation, "main", name="other", script="success")
        await until(simulation, lambda: over(simulation, "other"))
        waiting = simulation.registry.get(PODS, ("default", "mine"))
        ungate(simulation)
        await until(simulation, lambda: over(simulation, "mine"))
        ended = simulation.registry.get(PODS, ("default", "mine"))

    assert "nodeName" not in waiting["spec"]
    assert [each["reason"] for each in waiting["status"]["conditions"]] == ["SchedulingGated"]
    assert ended["spec"]["nodeName"]
    assert {each["type"]: each["status"] for each in ended["status"]["conditions"]}["PodScheduled"] == "True"


async def test_a_gated_pod_without_a_script_says_so_once_its_gate_is_off() -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "main", script="oomm", **GATED)
        ungate(simulation)
        await until(simulation, lambda: bool(events(simulation)))
        (event,) = events(simulation)

    assert "names no script: oomm" in event["message"]


async def test_a_pod_that_is_being_deleted_is_not_bound_though_its_gate_goes() -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "main", script="success", finalizers=["example.dev/hold"], **GATED)
        simulation.registry.delete(PODS, ("default", "mine"), {})
        ungate(simulation)
        made(simulation, "main", name="other", script="success")
        await until(simulation, lambda: over(simulation, "other"))
        held = simulation.registry.get(PODS, ("default", "mine"))

    assert "schedulingGates" not in held["spec"]
    assert "nodeName" not in held["spec"]


async def test_a_pod_that_a_client_has_bound_stays_on_its_node() -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "main", script="success")
        simulation.registry.bind(("default", "mine"), {"target": {"name": "node-007"}})
        await until(simulation, lambda: over(simulation, "mine"))

    assert simulation.registry.get(PODS, ("default", "mine"))["spec"]["nodeName"] == "node-007"


def over(simulation: Simulation, name: str) -> bool:
    return bool(simulation.registry.get(PODS, ("default", name))["status"]["phase"] == "Succeeded")


async def test_without_scripts_pods_are_whatever_clients_make_them() -> None:
    async with playing(None, {}) as simulation:
        made(simulation, "main", script=None)
        made(simulation, "main", name="other", script="oom")
        await until(simulation, lambda: bool(events(simulation)))
        (event,) = events(simulation)

    assert event["involvedObject"]["name"] == "other"
    assert event["message"].startswith(
        "there is no script oom: the simulator was started without --scripts and --workload"
    )


async def test_the_only_container_plays_main_whatever_its_name() -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "train", script="oom")
        await until(simulation, lambda: failed(simulation))
        pod = simulation.registry.get(PODS, ("default", "mine"))
        messages = [event["message"] for event in events(simulation)]
        log = simulation.logs.read(pod, {"container": "train"})

    assert [one["state"]["terminated"]["reason"] for one in pod["status"]["containerStatuses"]] == ["OOMKilled"]
    assert "Started container train" in messages
    assert b"loading shard 7" in log


def failed(simulation: Simulation) -> bool:
    return bool(simulation.registry.get(PODS, ("default", "mine"))["status"]["phase"] == "Failed")


async def test_events_name_the_image_of_the_pod() -> None:
    async with playing(None, SCRIPTS) as simulation:
        made(simulation, "train", script="image-not-found", image="team/mine:v7")
        await until(simulation, lambda: "Error: ImagePullBackOff" in [event["message"] for event in events(simulation)])
        messages = [event["message"] for event in events(simulation)]
        pod = simulation.registry.get(PODS, ("default", "mine"))

    assert 'Back-off pulling image "team/mine:v7"' in messages
    assert not [message for message in messages if "registry.example" in message]
    assert (
        pod["status"]["containerStatuses"][0]["state"]["waiting"]["message"] == 'Back-off pulling image "team/mine:v7"'
    )
