"""What a deletion leaves of a pod's containers: nothing runs, and what never started is marked."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.simulator.kinds import NAMESPACES, NODES, PODS
from agent.simulator.pod_status import Moment, terminated
from agent.simulator.registry import Registry
from agent.simulator.script import Exit, Script, ScriptStep, Waiting
from agent.simulator.simulation import Simulation
from agent.simulator.store import Store
from tests.simulator.api import Json
from tests.simulator.playing import playing, shipped, until

_, SCRIPTS = shipped()
KEY = ("default", "mine")
UNKNOWN = (137, "ContainerStatusUnknown")
BOUND = ScriptStep(bind="shared")
CREATING = ScriptStep(waiting={"main": Waiting(reason="ContainerCreating")})
LATE = ScriptStep(after="1h")


def script(*steps: ScriptStep) -> dict[str, Script]:
    return {"played": Script(name="played", kind="success", source="none", steps=(*steps, LATE))}


def make(simulation: Simulation, name: str, *, inits: tuple[str, ...] = ()) -> None:
    """A held pod with this script."""
    annotations = {SCRIPT_ANNOTATION: name}
    meta: Json = {"name": "mine", "finalizers": ["example.dev/hold"], "annotations": annotations}
    spec: Json = {"containers": [{"name": "main", "image": "a"}], "terminationGracePeriodSeconds": 1}
    if inits:
        spec["initContainers"] = [{"name": each, "image": "a"} for each in inits]
    simulation.registry.create(PODS, {"metadata": meta, "spec": spec}, namespace="default")


def states(simulation: Simulation, field: str = "containerStatuses") -> list[tuple[int, str] | str]:
    """Exit code and reason of each container, or that it waits."""
    found = simulation.registry.get(PODS, KEY)["status"].get(field) or ()
    return [
        (state["terminated"]["exitCode"], state["terminated"]["reason"]) if "terminated" in state else "waiting"
        for state in (each["state"] for each in found)
    ]


@pytest.mark.parametrize(
    ("steps", "inits", "expected"),
    [
        ((BOUND, CREATING), (), ([], [UNKNOWN])),
        ((BOUND,), (), ([], [UNKNOWN])),
        ((BOUND,), ("first", "second"), ([UNKNOWN, "waiting"], ["waiting"])),
        (
            (BOUND, ScriptStep(running=("first",))),
            ("first", "second"),
            ([(143, "Error"), "waiting"], ["waiting"]),
        ),
        (
            (BOUND, ScriptStep(exited={"first": Exit(exit_code=0, reason="Completed")})),
            ("first",),
            ([(0, "Completed")], [UNKNOWN]),
        ),
    ],
    ids=["creating", "bound", "before init containers", "an init container runs", "init containers are done"],
)
async def test_what_never_started_is_marked_unless_an_init_container_kept_it(
    steps: tuple[ScriptStep, ...], inits: tuple[str, ...], expected: tuple[list[object], list[object]]
) -> None:
    async with playing(None, script(*steps)) as simulation:
        make(simulation, "played", inits=inits)
        await until(simulation, lambda: bool(simulation.registry.get(PODS, KEY)["spec"].get("nodeName")))
        await until(simulation, lambda: len(steps) == 1 or bool(states(simulation)))
        simulation.registry.delete(PODS, KEY, {})
        await until(simulation, lambda: simulation.registry.get(PODS, KEY)["status"]["phase"] == "Failed")
        found = states(simulation, "initContainerStatuses"), states(simulation)

    assert found == expected


def test_a_pod_that_its_kubelet_refused_never_shows_a_container() -> None:
    refused: Json = {
        "spec": {"containers": [{"name": "main", "image": "a"}], "nodeName": "node-001"},
        "status": {"phase": "Failed", "reason": "UnexpectedAdmissionError"},
    }
    moment = Moment(now=datetime(2026, 1, 2, tzinfo=UTC), fill=str)

    assert "containerStatuses" not in terminated(refused, Exit(exit_code=143), moment)


async def test_the_containers_of_a_lost_node_run_until_it_is_back() -> None:
    async with playing(None, SCRIPTS) as simulation:
        make(simulation, "node-lost")
        await until(simulation, lambda: simulation.registry.get(PODS, KEY)["status"]["phase"] == "Failed")
        pod = simulation.registry.get(PODS, KEY)
        node, uid = ("", pod["spec"]["nodeName"]), pod["metadata"]["uid"]
        lost = simulation.registry.store.get(NODES, node) is None, simulation.ledger.lives(uid)
        await until(simulation, lambda: not simulation.ledger.lives(uid))
        back = simulation.registry.store.get(NODES, node) is not None, states(simulation)

    assert lost == (True, True)
    assert back == (True, [(143, "Error")])


def test_a_shorter_grace_counts_from_the_first_request() -> None:
    seconds = iter(range(100))
    registry = Registry(Store(version=1), now=lambda: datetime(2026, 1, 2, second=next(seconds), tzinfo=UTC))
    registry.create(NAMESPACES, {"metadata": {"name": "default"}}, namespace="")
    spec = {"containers": [{"name": "main", "image": "a"}], "nodeName": "node-001"}
    registry.create(PODS, {"metadata": {"name": "mine"}, "spec": spec}, namespace="default")

    first, second, last = (
        registry.delete(PODS, KEY, {"gracePeriodSeconds": grace})["metadata"]["deletionTimestamp"]
        for grace in (30, 7, 0)
    )

    asked = datetime.fromisoformat(first) - timedelta(seconds=30)
    assert [datetime.fromisoformat(at) - asked for at in (second, last)] == [timedelta(seconds=7), timedelta(0)]
