"""Scenarios: lists, objects and watches as tables."""

from typing import Final

from tests.contract import showing
from tests.contract.beside_pods import lease
from tests.contract.showing import TABLE
from tests.contract.stage import Scenario, Stage
from tests.contract.witness import Witness
from tests.simulator.api import Json, pod

STARTED: Final = "2026-01-02T03:04:05Z"


def tables(stage: Stage) -> Witness:
    """Who asks for tables, whose columns' descriptions are not written down."""
    return stage.server.asking(TABLE, shown=showing.table)


def status(*containers: Json, phase: str = "Running", **more: object) -> Json:
    return {"status": {"phase": phase, "containerStatuses": list(containers), **more}}


def container(
    state: Json, *, name: str = "main", ready: bool = False, restarts: int = 0, last: Json | None = None
) -> Json:
    counted = {"restartCount": restarts, "lastState": {} if last is None else {"terminated": last}}
    return {"name": name, "image": "example", "imageID": "", "ready": ready, "state": state, **counted}


def ended(code: int, reason: str = "", **more: object) -> Json:
    times = {"startedAt": STARTED, "finishedAt": STARTED}
    return {"exitCode": code, **times, **({"reason": reason} if reason else {}), **more}


RUNNING: Final = {"running": {"startedAt": STARTED}}
STATUSES: Final[dict[str, Json]] = {
    "completed": status(container({"terminated": ended(0, "Completed")}), phase="Succeeded"),
    "evicted": {"status": {"phase": "Failed", "reason": "Evicted"}},
    "exit-code": status(container({"terminated": ended(3)}), phase="Failed"),
    "oom": status(container({"terminated": ended(137, "OOMKilled")}), phase="Failed"),
    "pulling": status(container({"waiting": {"reason": "ImagePullBackOff"}}), phase="Pending"),
    "restarted": status(
        container(RUNNING, ready=True, restarts=2, last=ended(1, "Error")),
        podIP="10.0.0.7",
        podIPs=[{"ip": "10.0.0.7"}],
    ),
    "signal": status(container({"terminated": ended(139, signal=11)}), phase="Failed"),
}


async def a_list_can_be_a_table(stage: Stage) -> None:
    for name, each in STATUSES.items():
        await stage.server.create(stage.pods, pod(name, node="n1" if name == "oom" else ""))
        await stage.server.patch(f"{stage.pods}/{name}/status", each)
    answer = await tables(stage).ask("GET", stage.pods)
    assert {row["cells"][0]: row["cells"][2] for row in answer.body["rows"]} == {
        "completed": "Completed",
        "evicted": "Evicted",
        "exit-code": "ExitCode:3",
        "oom": "OOMKilled",
        "pulling": "ImagePullBackOff",
        "restarted": "Running",
        "signal": "Signal:11",
    }


INIT: Final[dict[str, Json]] = {
    "crashing": {"state": {"terminated": ended(2, "Error")}, "restartCount": 3},
    "fetching": {"state": {"waiting": {"reason": "ErrImagePull"}}, "restartCount": 0},
    "initialising": {"state": RUNNING, "restartCount": 0},
}


async def init_containers_speak_until_they_are_done(stage: Stage) -> None:
    for name, first in INIT.items():
        made = pod(name)
        initial = [{"name": "first", "image": "example"}, {"name": "second", "image": "example"}]
        await stage.server.create(stage.pods, {**made, "spec": {**made["spec"], "initContainers": initial}})
        waiting = {"state": {"waiting": {"reason": "PodInitializing"}}, "restartCount": 0}
        said = [
            {"name": each, "image": "example", "imageID": "", "ready": False, "lastState": {}, **state}
            for each, state in (("first", first), ("second", waiting))
        ]
        main = container({"waiting": {"reason": "PodInitializing"}})
        pending = status(main, phase="Pending", initContainerStatuses=said)
        await stage.server.patch(f"{stage.pods}/{name}/status", pending)
    answer = await tables(stage).ask("GET", stage.pods)
    assert [row["cells"][2] for row in answer.body["rows"]] == ["Init:Error", "Init:ErrImagePull", "Init:0/2"]


async def a_pod_that_is_going_or_gated_says_so(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("going", node="n1"))
    gated = pod("gated")
    gates = {"schedulingGates": [{"name": "example.dev/wait"}]}
    await stage.server.create(stage.pods, {**gated, "spec": {**gated["spec"], **gates}})
    await stage.server.delete(f"{stage.pods}/going")
    answer = await tables(stage).ask("GET", stage.pods)
    assert [row["cells"][2] for row in answer.body["rows"]] == ["SchedulingGated", "Terminating"]


async def rows_have_as_much_of_their_objects_as_is_asked_for(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    for include in ("None", "Metadata", "Object"):
        for path in (stage.pods, f"{stage.pods}/a"):
            answer = await tables(stage).ask("GET", path, includeObject=include)
            assert answer.body["kind"] == "Table"
    assert (await tables(stage).ask("GET", stage.pods, includeObject="Half")).status == 400


async def the_first_form_that_is_known_is_given(stage: Stage) -> None:
    for accept, kind in {
        f"application/json;as=Unicorn;v=v1;g=meta.k8s.io,{TABLE}": "Table",
        f"{TABLE},application/json": "Table",
        f"application/json,{TABLE}": "PodList",
        "application/json;as=Table;v=v9;g=meta.k8s.io,application/json": "PodList",
    }.items():
        answer = await stage.server.asking(accept, shown=showing.table).ask("GET", stage.pods)
        assert answer.body["kind"] == kind, accept


async def tables_come_in_pages(stage: Stage) -> None:
    for name in "abc":
        await stage.server.create(stage.pods, pod(name))
    first = await tables(stage).ask("GET", stage.pods, limit=2)
    token = first.body["metadata"]["continue"]
    rest = await tables(stage).ask("GET", stage.pods, limit=2, continue_=token)
    assert [row["cells"][0] for each in (first, rest) for row in each.body["rows"]] == ["a", "b", "c"]


async def a_watch_can_be_of_tables(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a"))
    version = made["metadata"]["resourceVersion"]
    server = stage.server.asking(TABLE, shown=showing.table_event)
    async with server.watch(stage.pods, resourceVersion=version) as events:
        await stage.server.patch(f"{stage.pods}/a/status", STATUSES["oom"])
        await stage.server.delete(f"{stage.pods}/a")
        told = [await events.next() for _ in range(2)]
    assert [event["object"]["rows"][0]["cells"][2] for event in told] == ["OOMKilled", "OOMKilled"]
    assert [bool(event["object"]["columnDefinitions"]) for event in told] == [True, False]


async def every_kind_has_its_columns(stage: Stage) -> None:
    about = {"kind": "Pod", "name": "x", "namespace": stage.namespace, "fieldPath": "spec.containers{main}"}
    event = {"involvedObject": about, "type": "Warning", "reason": "BackOff", "message": " Back-off "}
    old = {"count": 4, "firstTimestamp": STARTED, "lastTimestamp": STARTED, "source": {"component": "k", "host": "n"}}
    await stage.server.create(stage.events, {**event, **old, "metadata": {"name": "e1"}})
    await stage.server.create(stage.events, {**event, "metadata": {"name": "e2"}})
    await stage.server.create(stage.leases, lease("first"))
    for path in (stage.events, stage.leases, f"/api/v1/namespaces/{stage.namespace}"):
        answer = await tables(stage).ask("GET", path)
        assert answer.body["rows"], path


async def a_node_says_its_state_and_its_roles(stage: Stage) -> None:
    name = stage.namespace
    labels = {"node-role.kubernetes.io/gpu": "", "kubernetes.io/role": "worker"}
    await stage.server.create("/api/v1/nodes", {"metadata": {"name": name, "labels": labels}, "spec": {"taints": []}})
    path = f"/api/v1/nodes/{name}"
    await tables(stage).ask("GET", path)
    await stage.server.patch(path, {"spec": {"unschedulable": True}})
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "yes"}
    info = {"kubeletVersion": "v1.35.0", "osImage": "Debian", "kernelVersion": "6.1"}
    addresses = [{"type": "InternalIP", "address": "10.0.0.1"}]
    await stage.server.patch(
        f"{path}/status", {"status": {"conditions": [ready], "nodeInfo": info, "addresses": addresses}}
    )
    answer = await tables(stage).ask("GET", path)
    assert answer.body["rows"][0]["cells"][1:3] == ["Ready,SchedulingDisabled", "gpu,worker"]
    await stage.server.delete(path)


SCENARIOS: tuple[Scenario, ...] = (
    a_list_can_be_a_table,
    init_containers_speak_until_they_are_done,
    a_pod_that_is_going_or_gated_says_so,
    rows_have_as_much_of_their_objects_as_is_asked_for,
    the_first_form_that_is_known_is_given,
    tables_come_in_pages,
    a_watch_can_be_of_tables,
    every_kind_has_its_columns,
    a_node_says_its_state_and_its_roles,
)
