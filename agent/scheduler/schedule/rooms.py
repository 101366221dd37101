"""How much room clusters and queues have, while a pass leases runs."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from agent.core.queue import Queue
from agent.scheduler.schedule.placement import Candidate, Wanted, choose, held_by_queue
from agent.scheduler.schedule.terms import PassTerms
from agent.store import clusters
from agent.store.clusters import Cluster
from agent.store.submitted import lookup
from agent.store.submitted.held import Submission
from agent.store.submitted.lookup import Leasable


class Rooms:
    """Clusters and queues with the runs that they have, those included that were taken here."""

    def __init__(self, candidates: list[Candidate], queues: dict[str, int], terms: PassTerms) -> None:
        self.candidates = candidates
        self._queues = queues
        self._terms = terms

    @classmethod
    def read(cls, connection: Connection, terms: PassTerms, *, now: datetime) -> "Rooms":
        """The room that there is now."""
        runs = lookup.open_runs(connection)
        candidates = [
            _candidate(cluster, runs.get(cluster.cluster_id, 0), terms, now)
            for cluster in clusters.everything(connection)
        ]
        return cls(candidates, lookup.open_runs_of_queues(connection), terms)

    def wanted(self, submission: Submission) -> Wanted:
        """What a run of this job needs."""
        name = submission.queue
        return Wanted(
            namespace=submission.namespace,
            queue=self._terms.queue(name) or Queue(name=name),
            open_runs=self._queues.get(name, 0),
        )

    def take(self, submission: Submission) -> Candidate | None:
        """Take room for a run of this job, if there is any."""
        chosen = choose(self.wanted(submission), self.candidates)
        if chosen is not None:
            self.candidates[self.candidates.index(chosen)] = replace(chosen, open_runs=chosen.open_runs + 1)
            self._queues[submission.queue] = self._queues.get(submission.queue, 0) + 1
        return chosen

    def leasable(self) -> Leasable:
        """Which jobs may get a run: where some cluster takes another one, and their queue does."""
        namespaces = {
            name
            for candidate in self.candidates
            if candidate.room and candidate.offer
            for name in candidate.offer.namespaces
        }
        held = [name for name, queue in self._terms.queues().items() if held_by_queue(queue, self._queues.get(name, 0))]
        return Leasable(namespaces=namespaces, without_queues=held)

    def silent(self) -> int:
        """How many clusters that took runs are silent."""
        return sum(candidate.offer is not None and not candidate.heard for candidate in self.candidates)

    def silent_since(self) -> dict[str, datetime]:
        """The clusters whose lease is over, by id, with the time of their last heartbeat."""
        return {
            candidate.cluster_id: candidate.heard_at for candidate in self.candidates if not candidate.holds_its_lease
        }


def _candidate(cluster: Cluster, open_runs: int, terms: PassTerms, now: datetime) -> Candidate:
    return Candidate(
        cluster_id=cluster.cluster_id,
        name=cluster.name,
        offer=cluster.runs,
        open_runs=open_runs,
        heard=now - cluster.received_at < terms.runs.silent,
        heard_at=cluster.received_at,
        holds_its_lease=now - cluster.received_at < terms.runs.lease,
    )
