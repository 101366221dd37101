"""The leader asks clusters for lists of the pods of their runs."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from agent.broker.topics import commands_topic
from agent.core.run_command import ListRuns
from agent.scheduler.schedule.slices import Fence
from agent.scheduler.schedule.terms import PassTerms
from agent.store import clusters, outbox, run_lists
from agent.store.clusters import Cluster
from agent.store.outbox import NewMessage
from agent.store.run_lists import Asked
from agent.store.store import Store
from agent.store.submitted import lookup
from agent.telemetry import scheduler_metrics as metrics
from agent.wire import commands as wire

PATIENCE: Final = 5
"""After how many intervals without an answer a cluster is asked again."""


class ListRequests:
    """Asks each cluster that takes runs, or has some, every ``runs.listInterval``.

    A silent cluster is not asked, and one that does not answer is asked less often, so that no requests pile up.
    """

    def __init__(
        self, store: Store, *, terms: Callable[[], PassTerms], clock: Callable[[Connection], datetime]
    ) -> None:
        self._store = store
        self._terms = terms
        self._clock = clock

    def run(self, fence: Fence) -> None:
        """Ask every cluster that is due. Raises LeadershipLost, StoreError."""
        terms = self._terms()
        with self._store.read() as connection:
            due = list(_due(connection, terms, now=self._clock(connection)))
        if not due:
            return
        with self._store.write() as connection:
            fence(connection)
            now = self._clock(connection)
            outbox.put(connection, [_request(cluster, now) for cluster in due], written_at=now)
            run_lists.record_asked(connection, [cluster.cluster_id for cluster in due], at=now)
        for cluster in due:
            metrics.LISTS_ASKED.labels(cluster.name).inc()


def _due(connection: Connection, terms: PassTerms, *, now: datetime) -> Iterator[Cluster]:
    asked = run_lists.asked(connection)
    heard = [cluster for cluster in clusters.everything(connection) if now - cluster.received_at < terms.runs.silent]
    waiting = [
        cluster for cluster in heard if is_due(asked.get(cluster.cluster_id), now, every=terms.runs.list_interval)
    ]
    has_runs = {} if all(cluster.runs is not None for cluster in waiting) else lookup.open_runs(connection)
    return (cluster for cluster in waiting if cluster.runs is not None or has_runs.get(cluster.cluster_id))


def is_due(asked: Asked | None, now: datetime, *, every: timedelta) -> bool:
    """Whether a cluster that was asked so is to be asked now."""
    if asked is None:
        return True
    return now - asked.asked_at >= (every if asked.answered else every * PATIENCE)


def _request(cluster: Cluster, now: datetime) -> NewMessage:
    asked = ListRuns(cluster_id=cluster.cluster_id, issued_at=now)
    return NewMessage(topic=commands_topic(cluster.name), key=cluster.cluster_id, payload=wire.encode(asked))
