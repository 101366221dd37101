"""Pods that were never bound and are being deleted."""

from agent.simulator.kinds import PODS, Json
from agent.simulator.simulation import Simulation
from tests.simulator.playing import playing, until

HELD: Json = {"finalizers": ["example.dev/hold"]}


def make(simulation: Simulation, name: str, **spec: object) -> None:
    body = {"metadata": {"name": name, **HELD}, "spec": {"containers": [{"name": "a", "image": "a"}], **spec}}
    simulation.registry.create(PODS, body, namespace="default")
    simulation.registry.delete(PODS, ("default", name), {})


def phase(simulation: Simulation, name: str) -> str:
    found: str = simulation.registry.get(PODS, ("default", name))["status"]["phase"]
    return found


async def test_a_held_pod_that_was_never_bound_is_marked_as_failed() -> None:
    async with playing(None, {}) as simulation:
        make(simulation, "bound", nodeName="n1")
        make(simulation, "gated", schedulingGates=[{"name": "wait"}])
        before = phase(simulation, "gated")
        await until(simulation, lambda: phase(simulation, "gated") == "Failed")
        held = simulation.registry.get(PODS, ("default", "gated"))
        bound = phase(simulation, "bound")

    assert (before, bound) == ("Pending", "Pending")
    assert held["metadata"]["finalizers"] == HELD["finalizers"]


async def test_a_namesake_of_a_pod_that_is_gone_is_left_alone() -> None:
    def released(pod: Json) -> Json:
        return {**pod, "metadata": {**pod["metadata"], "finalizers": []}}

    async with playing(None, {}) as simulation:
        make(simulation, "gated")
        make(simulation, "other")
        simulation.registry.change(PODS, ("default", "gated"), released, status=False)
        body = {"metadata": {"name": "gated"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
        simulation.registry.create(PODS, body, namespace="default")
        await until(simulation, lambda: phase(simulation, "other") == "Failed")

    assert phase(simulation, "gated") == "Pending"
