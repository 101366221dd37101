"""Reports of pods that never came: at most one for each owner and cause."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog

from agent.cluster.diagnosis.report import Diagnosis
from agent.cluster.evidence.case import Case
from agent.cluster.spool.entries import Forgotten
from agent.cluster.spool.writer import SpoolWriter
from agent.core.failure import Occurrence
from agent.core.identity.rules import IdentityRules
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.creation import cause_of, uncreated_pod
from agent.observe.entry import PodEntry
from agent.observe.event_id import event_id
from agent.observe.events import read_event
from agent.observe.evidence import read_evidence
from agent.observe.identity import identify, refer
from agent.observe.occurrence import Occurred
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

MOST_CAUSES: Final = 20
"""Reports of one owner. Messages that no rule knows may have any number of causes."""

_PAUSE_SECONDS: Final = 1.0
"""How long the watch of these events pauses while the spool takes nothing."""


@dataclass(slots=True)
class _Owner:
    """When an owner was last heard of, and the ids of what was reported of it."""

    heard: datetime
    reported: set[str] = field(default_factory=set)


class NeverCreated:
    """Takes the events of owners and spools a report for each new cause.

    What was reported is remembered for ``age`` after the last event, of at most ``at_most`` owners, and in the spool,
    so that the next process does not report it again. Event ids are made of owner and cause: of two reports one counts.
    """

    def __init__(
        self,
        diagnosis: Callable[[], Diagnosis],
        writer: SpoolWriter,
        *,
        identities: IdentityRules,
        at_most: int,
        age: timedelta,
        clock: Callable[[], datetime],
    ) -> None:
        self._diagnosis = diagnosis
        self._writer = writer
        self._identities = identities
        self._at_most = at_most
        self._age = age
        self._clock = clock
        self._owners: OrderedDict[str, _Owner] = OrderedDict()

    def __len__(self) -> int:
        return len(self._owners)

    def restore(self, reported: Mapping[str, frozenset[str]], *, pods: Collection[str]) -> None:
        """Take up what an earlier process reported; what it reported of these pods is no concern of ours."""
        for uid in reported.keys() - set(pods):
            self._owners[uid] = _Owner(heard=self._clock(), reported=set(reported[uid]))

    async def on_event(self, change: Change[objects.Event, None]) -> None:
        event = change.object
        pod = None if event is None or change.kind is ChangeKind.DELETED else uncreated_pod(event)
        if event is None or pod is None:
            return
        while not await self._writer.room():  # noqa: ASYNC110 - it says when there is room, not when the disk is back
            await asyncio.sleep(_PAUSE_SECONDS)
        try:
            await self._report(pod, event)
        except Exception:  # noqa: BLE001 - one unforeseen event must not end the watch of all others
            metrics.BAD_OBJECTS.labels("event").inc()
            _log.exception("an event of an owner could not be reported", owner=pod.metadata.name)

    async def _report(self, pod: objects.Pod, event: objects.Event) -> None:
        diagnosis, now, said = self._diagnosis(), self._clock(), read_event(event)
        evidence = read_evidence(pod, occurrence=Occurrence.NEVER_CREATED, events=[said])
        given = await diagnosis.classify(evidence)
        cause = cause_of(given, evidence.pod_error)
        reference = refer(pod)
        identity = event_id(diagnosis.cluster_id, reference.uid, Occurrence.NEVER_CREATED, discriminator=cause)
        owner = self._owner(reference.uid, now=now)
        if not _is_new(identity, owner, uid=reference.uid):
            return
        case = Case(
            event_id=identity,
            occurred=Occurred(occurrence=Occurrence.NEVER_CREATED, occurred_at=said.first_at or said.last_at or now),
            entry=PodEntry(identity=identify(pod, self._identities), reference=reference),
            pod=pod,
            observed_at=now,
        )
        failure, report = diagnosis.report(case, evidence, given, check=None)
        result = failure.classification
        metrics.OCCURRENCES.labels(Occurrence.NEVER_CREATED.value).inc()
        metrics.record_failure(result.category, result.subcategory, origin=result.origin)
        self._writer.put(report)
        owner.reported.add(identity)

    def _owner(self, uid: str, *, now: datetime) -> _Owner:
        owner = self._owners.setdefault(uid, _Owner(heard=now))
        owner.heard = now
        self._owners.move_to_end(uid)
        self._expire(now)
        return owner

    def _expire(self, now: datetime) -> None:
        """Forget the owners that were not heard of for long, and the oldest if there are too many."""
        while self._owners:
            uid, owner = next(iter(self._owners.items()))
            if len(self._owners) <= self._at_most and now - owner.heard <= self._age:
                return
            del self._owners[uid]
            self._writer.put(Forgotten(uid=uid))


def _is_new(identity: str, owner: _Owner, *, uid: str) -> bool:
    if identity in owner.reported:
        return False
    if len(owner.reported) >= MOST_CAUSES:
        _log.warning("an owner has more causes than are reported; this one is not", owner=uid, at_most=MOST_CAUSES)
        return False
    return True
