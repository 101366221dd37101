"""Which script a pod plays, and what a pod is told that can play none."""

import pytest

from agent.simulator.kinds import EVENTS, PODS, Json
from agent.simulator.simulation import Simulation
from tests.simulator.playing import playing, shipped, until

_, SCRIPTS = shipped()
ANNOTATION = "simulator.failure-agent.dev/script"


def made(
    simulation: Simulation,
    *containers: str,
    script: str | None,
    name: str = "mine",
    image: str = "python:3",
    **spec: object,
) -> None:
    meta = {"name": name, "annotations": {} if script is None else {ANNOTATION: script}}
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


@pytest.mark.parametrize("spec", [{"nodeName": "node-001"}, {"schedulingGates": [{"name": "wait"}]}])
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
