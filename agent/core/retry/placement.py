"""Which nodes the next run should avoid (armadaproject/armada#4683, "Anti-Affinity")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.heartbeat import NodeShape
from agent.core.history import FailedOn
from agent.core.retry.choices import Avoidance, AvoidScope, Exhausted, Strength
from agent.core.retry.policy import AntiAffinity
from agent.core.units import counted, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoided:
    """Nodes to avoid, the latest last, and how strongly; ``hopeless``: the job fails because no other node is left."""

    nodes: tuple[str, ...] = ()
    strength: Strength = Strength.REQUIRED
    hopeless: bool = False
    notes: tuple[str, ...] = ()


NOTHING = Avoided()


def avoid(
    wanted: AntiAffinity, *, node: str, earlier: Sequence[FailedOn], now: datetime, fitting: int | None
) -> Avoided:
    """The nodes to avoid after a failure on ``node``; ``earlier`` are those of earlier runs, the latest last.

    ``fitting`` counts the nodes that could hold the pod, ``None`` if not known. A required avoidance that leaves none
    of them becomes a preference, with a note, or is hopeless if the policy says so.
    """
    if wanted.mode is not Avoidance.NODE:
        return NOTHING
    nodes, notes = _nodes(wanted, node=node, earlier=earlier, now=now)
    strength = wanted.strength or Strength.REQUIRED
    if not nodes or strength is Strength.PREFERRED or fitting is None or fitting > len(nodes):
        return Avoided(nodes=nodes, strength=strength, notes=notes)
    left = f"antiAffinity node: {fitting} nodes fit the job and {len(nodes)} are to be avoided"
    if wanted.exhausted is Exhausted.FAIL:
        return Avoided(notes=(*notes, f"{left}: no untried node fits the job"), hopeless=True)
    return Avoided(nodes=nodes, strength=Strength.PREFERRED, notes=(*notes, f"{left}, so it is preferred only"))


def _nodes(
    wanted: AntiAffinity, *, node: str, earlier: Sequence[FailedOn], now: datetime
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    here = (node,) if node else ()
    if wanted.scope is not AvoidScope.ALL:
        note = "only the node of this run is avoided" if node else "the run never had a node, so none is avoided"
        return here, (f"antiAffinity node: {note}",)
    old = [failed for failed in earlier if failed.node != node]
    fresh = [failed.node for failed in old if wanted.expire_after is None or now - failed.at < wanted.expire_after]
    every = (*fresh, *here)
    kept = every if wanted.max_nodes is None else every[max(0, len(every) - wanted.max_nodes) :]
    notes = [f"antiAffinity node: the nodes of all failed runs are avoided: {len(kept)}"]
    if len(fresh) < len(old):
        notes.append(f"antiAffinity expireAfter: no longer avoided: {counted(len(old) - len(fresh), 'earlier node')}")
    if len(kept) < len(every):
        notes.append(f"antiAffinity maxNodes: the latest {len(kept)} of {counted(len(every), 'node')} only")
    return kept, tuple(notes)


Requests = Mapping[str, Fraction]


def places(
    shapes: Sequence[NodeShape] | None, requests: Sequence[tuple[str, str]], *, memory: Sequence[ContainerMemory]
) -> int | None:
    """How many nodes could hold the pod with this memory; ``None`` if not known. Raises QuantityError."""
    if shapes is None:
        return None
    asked = as_requests(requests)
    return fitting(shapes, {**asked, "memory": Fraction(_total(memory))} if memory else asked)


def _total(memory: Sequence[ContainerMemory]) -> int:
    """What a pod requests: its containers together, or its largest init container (Kubernetes, "Resource sharing")."""
    together = sum(container.request or 0 for container in memory if container.kind is not ContainerKind.INIT)
    return max(together, *(container.request or 0 for container in memory))


def as_requests(requests: Sequence[tuple[str, str]]) -> Requests:
    """Requests as numbers. Raises QuantityError."""
    return {name: parse(quantity) for name, quantity in requests}


def fitting(shapes: Sequence[NodeShape], requests: Requests) -> int:
    """How many ready nodes could hold the pod if they were empty. Raises QuantityError."""
    return sum(shape.ready for shape in shapes if _fits(shape, requests))


def _fits(shape: NodeShape, requests: Requests) -> bool:
    allocatable = dict(shape.allocatable)
    return all(wanted <= parse(allocatable.get(name, "0")) for name, wanted in requests.items())
