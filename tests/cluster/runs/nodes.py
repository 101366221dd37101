"""Agents in mode daemonset, and replicas in mode deployment: processes of one cluster with spools of their own."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from tests.cluster.living import Living, Parts, Running
from tests.cluster.runs.commanding import TAKES_RUNS, ready

LEASE: Final = {"namespace": "default", "duration": 4, "renew": "500ms"}
_LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/default/leases/failure-agent"
_ORDINARY: Final = Parts()
_READY: Final = {"conditions": [{"type": "Ready", "status": "True"}]}


def replica(life: Living, name: str) -> dict[str, Any]:
    """The settings of one of several replicas in mode deployment."""
    return {**TAKES_RUNS, "lease": LEASE, "spool": {"path": str(life.folder / f"{name}.db")}}


def on_node(life: Living, node: str, *, spool: str = "") -> dict[str, Any]:
    """The settings of the process of a node."""
    return {
        **replica(life, spool or node),
        "mode": "daemonset",
        "node": {"name": node, "heard": "300ms", "silence": "3s"},
    }


_UNHURRIED: Final = {"namespace": "default", "duration": 30, "renew": "500ms"}


def unhurried_replica(life: Living, name: str) -> dict[str, Any]:
    """One whose term goes on although the machine is busy; ``end_term`` ends that of one that was killed."""
    return {**replica(life, name), "lease": _UNHURRIED}


def on_unhurried_node(life: Living, node: str, *, spool: str = "", silence: str = "30s") -> dict[str, Any]:
    """The same of the process of a node, which counts as silent after this time."""
    given = on_node(life, node, spool=spool)
    return {**given, "lease": _UNHURRIED, "node": {**given["node"], "silence": silence}}


@asynccontextmanager
async def two_nodes(
    life: Living,
    elected: Parts = _ORDINARY,
    other: Parts = _ORDINARY,
    *,
    process: Callable[[Living, str], dict[str, Any]] = on_node,
) -> AsyncIterator[tuple[Running, Running]]:
    """Nodes n1 and n2 with a process each; that of n1 is elected."""
    for name in ("n1", "n2"):
        await life.api.create("/api/v1/nodes", {"metadata": {"name": name}, "status": _READY})
    async with life.agent(parts=elected, **process(life, "n1")) as first:
        await ready(first)
        async with life.agent(parts=other, **process(life, "n2")) as second:
            yield first, second


async def end_term(life: Living) -> None:
    """End the term of a process that was killed, which else is over seconds later."""
    await life.api.ask("DELETE", _LEASE)
