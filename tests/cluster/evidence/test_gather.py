from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agent.cluster.evidence.case import Case
from agent.cluster.evidence.events import EventCache
from agent.cluster.evidence.gather import EvidenceGatherer
from agent.cluster.evidence.nodes import Nodes
from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference
from agent.kube import objects
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Listing:
    """Lists when it is told to, and counts how often it is asked for events."""

    def __init__(self) -> None:
        self.listed = False
        self.asked = 0

    def no_events(self) -> str | None:
        self.asked += 1
        return None if self.listed else "no events"

    def no_nodes(self) -> str | None:
        return None if self.listed else "no nodes"

    @property
    def complete(self) -> bool:
        return self.listed


def gatherer(listing: Listing | None) -> EvidenceGatherer:
    events = EventCache(things=9, age=HOUR)
    return EvidenceGatherer(events=events, nodes=Nodes(age=HOUR), injected=(), listing=listing)


def case(*, node: str) -> Case:
    reference = PodReference(namespace="n", name="a", uid="u", node=node)
    return Case(
        event_id="e",
        occurred=Occurred(occurrence=Occurrence.POD_FAILED, occurred_at=NOW),
        entry=PodEntry(identity=Identity(job_id="j", run_id="r"), reference=reference),
        pod=objects.Pod(),
        observed_at=NOW,
    )


def about(kind: str, uid: str, reason: str, *, at: datetime) -> objects.Event:
    reference = objects.ObjectReference(kind=kind, uid=uid, name=uid)
    metadata = objects.Metadata(uid=f"{uid}-{reason}")
    return objects.Event(metadata=metadata, involvedObject=reference, type="Normal", reason=reason, lastTimestamp=at)


def test_events_about_what_the_pod_belongs_to_count_since_the_pod_exists() -> None:
    gather = gatherer(None)
    owner = objects.Owner(kind="Job", uid="job", controller=True)
    workload = objects.Metadata(uid="w", ownerReferences=[objects.Owner(kind="Job", uid="job")])
    gather.owners.put(objects.MetadataOnly(metadata=workload))
    for event in (
        about("Pod", "u", "Killing", at=NOW),
        about("Job", "job", "Stopped", at=NOW),
        about("Workload", "w", "Preempted", at=NOW + HOUR),
        about("Workload", "w", "Admitted", at=NOW - HOUR),
        about("Job", "another", "Suspended", at=NOW),
    ):
        gather.events.put(event, now=NOW)

    made = objects.Metadata(uid="u", creationTimestamp=NOW, ownerReferences=[owner])
    seen = gather.gather(replace(case(node=""), pod=objects.Pod(metadata=made)))
    unseen = gather.gather(case(node=""))

    assert [event.reason for event in seen.events] == ["Preempted", "Killing", "Stopped"]
    assert [event.reason for event in unseen.events] == ["Killing"]


def missing(gather: EvidenceGatherer, *, node: str = "") -> list[tuple[str, str]]:
    return [(each.what, each.reason) for each in gather.gather(case(node=node)).missing]


def test_it_says_what_is_not_listed_and_what_is_not_known() -> None:
    listing = Listing()
    gather = gatherer(listing)
    assert missing(gatherer(None), node="n1") == [("events", "not listed yet"), ("node", "not listed yet")]
    assert missing(gather, node="n1") == [("events", "no events"), ("node", "no nodes")]

    listing.listed = True
    assert missing(gather, node="n1") == [("node", "node n1 is not known")]
    gather.nodes.put(objects.Node(metadata=objects.Metadata(name="n1")))
    assert missing(gather, node="n1") == []


def test_once_events_are_listed_they_stay_so() -> None:
    listing = Listing()
    gather = gatherer(listing)
    assert gather.events_of(case(node="")) is None
    listing.listed = True
    assert gather.events_of(case(node="")) == ()

    listing.asked = 0
    assert missing(gather) == []
    assert listing.asked == 0
