"""What the leader watches in mode daemonset: pods without a node, and pods of nodes that nobody else sees."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec
import structlog

from agent.cluster.daemonset.coverage import ClusterView, Heard, to_cover
from agent.cluster.daemonset.informers import NodeInformers, PodReflector, node_name
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.watch.informers import OnNode
from agent.cluster.watch.tombstones import MovedPods, PodHandler
from agent.kube import objects
from agent.kube.errors import ApiError, Unreachable
from agent.kube.lease import Record
from agent.kube.pods import Lookup
from agent.kube.reflector.cache import Change, ChangeKind
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)
_POLLS_IN_SILENCE: Final = 6
"""How often leases are read in the time after which a node counts as silent."""

_SWEEP_SECONDS: Final = 600.0
"""How often all pods are listed for nodes that no longer exist: it costs the API server a whole list."""


class ClusterHandler(PodHandler, Protocol):
    async def on_node(self, change: Change[objects.Node, str]) -> None: ...


class ApiQueries(Protocol):
    """What is polled from the API server. Both methods raise ApiError, Unreachable and msgspec.DecodeError."""

    async def leases(self) -> Mapping[str, Record]:
        """The lease of each node's process, by node."""
        ...

    async def placements(self) -> frozenset[str]:
        """The names of the nodes that pods are bound to, also of nodes that do not exist."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``silence`` in seconds; ``at_most`` nodes are watched for others."""

    silence: float
    at_most: int


@dataclass(frozen=True, slots=True)
class _Covered:
    reflectors: Sequence[PodReflector]
    tasks: Sequence[asyncio.Task[None]]

    def is_empty(self) -> bool:
        return all(reflector.synced.is_set() and len(reflector.cache) == 0 for reflector in self.reflectors)


@dataclass(slots=True, kw_only=True)
class _Term:
    since: float
    unbound: Sequence[PodReflector] = ()
    ready: dict[str, bool] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    heard: Heard = field(default_factory=Heard)
    covered: dict[str, _Covered] = field(default_factory=dict)
    swept_at: float | None = None


class NodeFailover:
    """A ``leader.Term``: watches for others between ``begin`` and ``end``, while ``run`` runs. ``own`` is our own node.

    ``moved_pods`` must be run, and its ``all_listed`` called, on leader and standby.
    """

    def __init__(
        self,
        *,
        node_informers: NodeInformers,
        queries: ApiQueries,
        handler: ClusterHandler,
        lookup: Lookup,
        pods: PodRegistry,
        own: str,
        limits: Limits,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node_informers = node_informers
        self._queries = queries
        self._handler = handler
        self.moved_pods = MovedPods(lookup, pods, handler, is_ours=self.watches)
        self._pods = pods
        self._own = own
        self._limits = limits
        self._monotonic = monotonic
        self._leading = asyncio.Event()
        self._ended = asyncio.Event()
        self._term: _Term | None = None
        self._uncovered = 0
        self._lists = 0

    def watches(self, node: str) -> bool:
        """Whether this process watches the pods of this node: always those of our own; ``""``: pods without a node."""
        if node == self._own:
            return True
        return self._term is not None and (not node or node in self._term.covered)

    @property
    def synced(self) -> bool:
        """Whether it leads, and every pod without a node was handed on."""
        return self._term is not None and _are_synced(self._term.unbound)

    def lists(self) -> int:
        """How many lists of pods were begun so far for others than our own node."""
        return self._lists + sum(map(_lists_of, self._reflectors()))

    def _reflectors(self) -> Iterator[PodReflector]:
        if self._term is not None:
            yield from self._term.unbound
            for covered in self._term.covered.values():
                yield from covered.reflectors

    async def begin(self) -> None:
        """Watch for others too."""
        self._ended.clear()
        self._leading.set()

    async def end(self) -> None:
        """Watch our own node only. Quick: ``run`` does the cleaning up."""
        self._leading.clear()
        self._ended.set()

    async def run(self) -> None:
        while True:
            await self._leading.wait()
            working, ended = asyncio.create_task(self._work()), asyncio.create_task(self._ended.wait())
            try:
                await asyncio.wait((working, ended), return_when=asyncio.FIRST_COMPLETED)
            finally:
                await _cancel((ended, working))
            await self._forget_pods(lambda node: node != self._own)

    async def _work(self) -> None:
        term = self._term = _Term(since=self._monotonic())
        nodes = self._node_informers.nodes(self._node_handler(term))
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(nodes.run())
                term.unbound = self._node_informers.pods_of("", self.moved_pods.on_pod)
                for reflector in term.unbound:
                    tasks.create_task(reflector.run())
                await nodes.synced.wait()
                while True:
                    await self._poll(term)
                    await self._cover(term, tasks)
                    await asyncio.sleep(self._limits.silence / _POLLS_IN_SILENCE)
        finally:
            await self._forget_nodes(term)
            self._lists, self._term = self.lists(), None
            self._measure(covered=0, uncovered=0)

    def _node_handler(self, term: _Term) -> OnNode:
        async def on_node(change: Change[objects.Node, str]) -> None:
            name = node_name(change)
            if change.kind is ChangeKind.DELETED or change.object is None:
                term.ready.pop(name, None)
                term.lost.add(name)
            else:
                term.ready[name] = _is_ready(change.object)
                term.lost.discard(name)
            if name != self._own:
                await self._handler.on_node(change)

        return on_node

    async def _poll(self, term: _Term) -> None:
        """Read the leases of all nodes, and now and then the nodes that pods are bound to."""
        now = self._monotonic()
        try:
            term.heard.note(await self._queries.leases(), now=now)
            if term.swept_at is None or now - term.swept_at >= _SWEEP_SECONDS:
                term.lost |= await self._queries.placements() - term.ready.keys()
                term.swept_at = now
        except (ApiError, Unreachable, msgspec.DecodeError) as error:
            _log.warning("node leases or placements cannot be read; will try again", error=str(error))

    async def _cover(self, term: _Term, tasks: asyncio.TaskGroup) -> None:
        # A lost node is done with when all its pods are gone.
        term.lost -= {name for name in term.lost if name in term.covered and term.covered[name].is_empty()}
        view = ClusterView(ready=term.ready, heard=term.heard.times, lost=term.lost, since=term.since)
        wanted = to_cover(view, own=self._own, silence=self._limits.silence, now=self._monotonic())
        chosen = wanted[: self._limits.at_most]
        for node in term.covered.keys() - set(chosen):
            await self._uncover(term, node)
        for node in chosen:
            if node not in term.covered:
                _log.warning("watching the pods of a node that no other process watches", node=node)
                reflectors = self._node_informers.pods_of(node, self._handler.on_pod)
                term.covered[node] = _Covered(
                    reflectors, [tasks.create_task(reflector.run()) for reflector in reflectors]
                )
        self._measure(covered=len(chosen), uncovered=len(wanted) - len(chosen))

    async def _forget_nodes(self, term: _Term) -> None:
        """Drop what is known of nodes that are no longer watched, so that no stale state becomes evidence."""
        for name in term.ready.keys() - {self._own}:
            await self._handler.on_node(Change(kind=ChangeKind.DELETED, uid="", object=None, previous=name))

    def _measure(self, *, covered: int, uncovered: int) -> None:
        metrics.COVERED_NODES.set(covered)
        metrics.UNCOVERED_NODES.set(uncovered)
        if uncovered > self._uncovered:
            _log.error(
                "more nodes are unwatched than one process may cover; failures on the rest are not reported",
                covered=covered,
                uncovered=uncovered,
            )
        self._uncovered = uncovered

    async def _uncover(self, term: _Term, node: str) -> None:
        _log.info("no longer watching the pods of a node; its own process does", node=node)
        covered = term.covered.pop(node)
        self._lists += sum(map(_lists_of, covered.reflectors))
        await _cancel(covered.tasks)
        await self._forget_pods(lambda name: name == node)

    async def _forget_pods(self, of: Callable[[str], bool]) -> None:
        for tracked in self._pods:
            if of(tracked.entry.reference.node):
                await self._handler.on_out_of_scope(tracked.entry.reference.uid)


def _is_ready(node: objects.Node) -> bool:
    """Whether its kubelet reports; a cordoned node can be ready."""
    return any(condition.type == "Ready" and condition.status == "True" for condition in node.status.conditions or ())


def _are_synced(reflectors: Sequence[PodReflector]) -> bool:
    return bool(reflectors) and all(reflector.synced.is_set() for reflector in reflectors)


def _lists_of(reflector: PodReflector) -> int:
    return reflector.stats.lists


async def _cancel(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel them and wait for their end. Raises what ended one of them otherwise."""
    for task in tasks:
        task.cancel()
    # Not each by itself: whoever waits may be cancelled too, and could not tell that from the end of the task.
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.result()
