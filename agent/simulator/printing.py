"""The columns in which a server prints each kind, and their cells (pkg/printers/internalversion/printers.go)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from agent.simulator.ages import UNKNOWN, age
from agent.simulator.kinds import EVENTS, LEASES, NAMESPACES, NODES, PODS, Json, Kind
from agent.simulator.pod_printing import conditions_of, pod_cells

NONE: Final = "<none>"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedColumn:
    """A column; one that is not ``narrow`` is only for ``-o wide``."""

    name: str
    narrow: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Printer:
    """How a kind is printed. ``conditions``: what a row contains in addition to its cells."""

    columns: Sequence[PrintedColumn]
    cells: Callable[[Json, datetime], Sequence[object]]
    conditions: Callable[[Json], Sequence[Json]] = lambda _: ()


def _columns(*narrow: str, wide: Sequence[str] = ()) -> tuple[PrintedColumn, ...]:
    names = [*((name, True) for name in narrow), *((name, False) for name in wide)]
    return tuple(PrintedColumn(name=name, narrow=shown) for name, shown in names)


def _node_cells(node: Json, now: datetime) -> Sequence[object]:
    status: Json = node.get("status") or {}
    info: Json = status.get("nodeInfo") or {}
    addresses = {address["type"]: address["address"] for address in status.get("addresses") or ()}
    return (
        node["metadata"]["name"],
        ",".join(_node_states(node)),
        ",".join(_node_roles(node)) or NONE,
        age(node["metadata"].get("creationTimestamp"), now),
        info.get("kubeletVersion", ""),
        addresses.get("InternalIP", NONE),
        addresses.get("ExternalIP", NONE),
        *(info.get(name) or UNKNOWN for name in ("osImage", "kernelVersion", "containerRuntimeVersion")),
    )


def _node_states(node: Json) -> Sequence[str]:
    conditions = (node.get("status") or {}).get("conditions") or ()
    ready = [condition["status"] == "True" for condition in conditions if condition["type"] == "Ready"]
    state = ("Ready" if ready[0] else "NotReady") if ready else "Unknown"
    return [state, *(["SchedulingDisabled"] if node["spec"].get("unschedulable") else [])]


def _node_roles(node: Json) -> Sequence[str]:
    prefix = "node-role.kubernetes.io/"
    labels: Mapping[str, str] = node["metadata"].get("labels") or {}
    named = {name.removeprefix(prefix) for name in labels if name.startswith(prefix)}
    return sorted(role for role in named | {labels.get("kubernetes.io/role", "")} if role)


def _event_cells(event: Json, now: datetime) -> Sequence[object]:
    about: Json = event["involvedObject"]
    series: Json = event.get("series") or {}
    first = age(event.get("firstTimestamp") or event.get("eventTime"), now)
    last = age(event["lastTimestamp"], now) if event.get("lastTimestamp") else first
    kind = str(about.get("kind", "")).lower()
    return (
        age(series.get("lastObservedTime"), now) if series else last,
        event.get("type", ""),
        event.get("reason", ""),
        f"{kind}/{about['name']}" if about.get("name") else kind,
        about.get("fieldPath", ""),
        _event_source(event),
        str(event.get("message", "")).strip(),
        first,
        series["count"] if series else event.get("count") or 1,
        event["metadata"]["name"],
    )


def _event_source(event: Json) -> str:
    source: Json = event.get("source") or {}
    component = source.get("component") or event.get("reportingComponent") or ""
    instance = source.get("host") or event.get("reportingInstance") or ""
    return ", ".join([component, *([instance] if instance else [])])


def _namespace_cells(namespace: Json, now: datetime) -> Sequence[object]:
    meta = namespace["metadata"]
    return meta["name"], namespace["status"].get("phase", ""), age(meta.get("creationTimestamp"), now)


def _lease_cells(lease: Json, now: datetime) -> Sequence[object]:
    spec: dict[str, Any] = lease.get("spec") or {}
    meta = lease["metadata"]
    return meta["name"], spec.get("holderIdentity") or "", age(meta.get("creationTimestamp"), now)


_PRINTERS: Final[Mapping[str, Printer]] = {
    PODS.plural: Printer(
        columns=_columns(
            "Name", "Ready", "Status", "Restarts", "Age", wide=("IP", "Node", "Nominated Node", "Readiness Gates")
        ),
        cells=pod_cells,
        conditions=conditions_of,
    ),
    NODES.plural: Printer(
        columns=_columns(
            *("Name", "Status", "Roles", "Age", "Version"),
            wide=("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime"),
        ),
        cells=_node_cells,
    ),
    EVENTS.plural: Printer(
        columns=(
            *_columns("Last Seen", "Type", "Reason", "Object"),
            *_columns(wide=("Subobject", "Source")),
            *_columns("Message"),
            *_columns(wide=("First Seen", "Count", "Name")),
        ),
        cells=_event_cells,
    ),
    NAMESPACES.plural: Printer(columns=_columns("Name", "Status", "Age"), cells=_namespace_cells),
    LEASES.plural: Printer(columns=_columns("Name", "Holder", "Age"), cells=_lease_cells),
}


def printer_of(kind: Kind) -> Printer:
    return _PRINTERS[kind.plural]
