"""Evidence from memory: events, node and owner of a pod, and which of them are unavailable; the rest on demand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol

from msgspec.structs import replace

from agent.cluster.evidence.case import Case
from agent.cluster.evidence.events import EventCache
from agent.cluster.evidence.nodes import Nodes
from agent.cluster.evidence.owners import Owners
from agent.core.evidence import Event, Evidence, MissingEvidence
from agent.core.identity.rules import DEFAULT, IdentityRules
from agent.core.summary.submission import Submission
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission
from agent.observe.unstarted import never_started_message
from agent.observe.values import aware
from agent.settings.cluster import ClusterSettings

OwnerChange = Change[objects.Job | objects.JobSet | objects.MetadataOnly, None]
_NOT_LISTED: Final = "not listed yet"


class Listing(Protocol):
    """Whether events and nodes are listed, and all else that is watched: the informers."""

    def no_events(self) -> str | None:
        """Why there are no events; ``None`` if they are listed."""
        ...

    def no_nodes(self) -> str | None:
        """Why there are no nodes; ``None`` if they are listed."""
        ...

    @property
    def complete(self) -> bool:
        """Whether all of what is watched was listed."""
        ...


@dataclass(slots=True, kw_only=True)
class EvidenceGatherer:
    """Gives the evidence of a case from memory, without a request.

    ``injected`` are patterns of names of containers that users did not submit; ``identities`` say how to read a pod's
    job and run from it. ``listing`` is set once the informers exist.
    """

    events: EventCache
    nodes: Nodes
    injected: Sequence[str]
    owners: Owners = field(default_factory=partial(Owners, age=timedelta(hours=1)))
    identities: IdentityRules = DEFAULT
    listing: Listing | None = None
    _events_listed: bool = field(default=False, init=False)

    @property
    def complete(self) -> bool:
        """Whether all evidence that is kept in memory was listed."""
        return self.listing is not None and self.listing.complete

    def on_event(self, change: Change[objects.Event, None], *, now: datetime) -> None:
        """Remember an event. One that the API server expired stays: its content remains valid."""
        if change.object is not None and change.kind is not ChangeKind.DELETED:
            self.events.put(change.object, now=now)

    def on_node(self, change: Change[objects.Node, str], *, now: datetime) -> None:
        if change.kind is not ChangeKind.DELETED and change.object is not None:
            self.nodes.put(change.object)
        elif change.previous is not None:
            self.nodes.remove(change.previous, now=now)

    def on_owner(self, change: OwnerChange, *, now: datetime) -> None:
        if change.kind is not ChangeKind.DELETED and change.object is not None:
            self.owners.put(change.object)
        else:
            self.owners.remove(change.uid, now=now)

    def gather(self, case: Case, *, node_since: datetime | None = None) -> Evidence:
        """All that is known now, and what is missing; events about the node since ``node_since``, if given."""
        node_name = case.entry.reference.node or case.pod.spec.nodeName or ""
        node = self.nodes.get(node_name) if node_name else None
        evidence = read_evidence(
            case.pod,
            occurrence=case.occurred.occurrence,
            container=case.occurred.container,
            events=(*self.events.about_pod(case.pod_uid), *self._about_owners(case.pod)),
            node=node,
            node_log=[event.message for event in self._about_node(node_name, node_since)],
            log_tails=case.log_tails,
            missing=(*case.missing, *self._missing(node_name, node)),
            submitted=case.submitted,
        )
        found = case.occurred.found
        return (
            evidence if found is None else replace(evidence, pod_error=never_started_message(found, evidence.pod_error))
        )

    def events_of(self, case: Case) -> Sequence[Event] | None:
        """Events about the case's pod; ``None`` if they are not listed."""
        return self.events.about_pod(case.pod_uid) if self._no_events() is None else None

    def submitted(self, pod: objects.Pod) -> Submission:
        """Which of the pod's containers are its user's."""
        template = self.owners.template(pod) if pod.metadata.ownerReferences else None
        return submission(pod, rules=self.identities, template=template, injected=self.injected)

    def _about_node(self, name: str, since: datetime | None) -> Sequence[Event]:
        every = self.events.about_node(name) if name else ()
        if since is None:
            return every
        return [event for event in every if event.last_at is not None and event.last_at >= since]

    def _about_owners(self, pod: objects.Pod) -> Sequence[Event]:
        """Events about what the pod belongs to, since it exists: earlier ones are about pods before it."""
        created = aware(pod.metadata.creationTimestamp)
        if created is None:
            return ()
        every = [event for uid in self.owners.above(pod) for event in self.events.about_owner(uid)]
        return [event for event in every if event.last_at is not None and event.last_at >= created]

    def _missing(self, node_name: str, node: objects.Node | None) -> list[MissingEvidence]:
        missing = []
        if (no_events := self._no_events()) is not None:
            missing.append(MissingEvidence(what="events", reason=no_events))
        if node_name and node is None:
            no_nodes = _NOT_LISTED if self.listing is None else self.listing.no_nodes()
            missing.append(MissingEvidence(what="node", reason=no_nodes or f"node {node_name} is not known"))
        return missing

    def _no_events(self) -> str | None:
        """Why there are no events; not asked again once they are listed, because they stay so."""
        if self._events_listed:
            return None
        why = _NOT_LISTED if self.listing is None else self.listing.no_events()
        self._events_listed = why is None
        return why


def make_gatherer(settings: ClusterSettings) -> EvidenceGatherer:
    """A gatherer with nothing in its memory, within the bounds of settings."""
    bounds = settings.bounds
    return EvidenceGatherer(
        events=EventCache(things=bounds.things, age=bounds.event_age),
        nodes=Nodes(age=bounds.event_age),
        injected=settings.containers.injected,
        owners=Owners(age=bounds.event_age),
        identities=settings.identity.rules(),
    )


class Source(Protocol):
    """One kind of evidence that takes a request, and is read when a case begins, within bounds."""

    def wanted(self, case: Case) -> bool:
        """Whether there is anything to read that may be read."""
        ...

    async def read(self, case: Case) -> Case:
        """The case with what could be read; what could not is recorded as missing. Must end within its deadline."""
        ...


async def read_on_demand(case: Case, sources: Iterable[Source]) -> Case:
    """The case with what these sources have, read one after the other."""
    for source in sources:
        if source.wanted(case):
            case = await source.read(case)
    return case
