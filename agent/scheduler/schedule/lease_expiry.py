"""Decides the runs of clusters that are lost, in one term of the leader."""

import time
from collections.abc import Callable
from itertools import islice

import structlog

from agent.broker.port import Broker, BrokerError
from agent.scheduler.consume.expiry import expire
from agent.scheduler.consume.handler import Clock
from agent.scheduler.schedule.scheduling_pass import SLICE, Fence
from agent.scheduler.schedule.silence import Lost, Silence, lost_clusters
from agent.scheduler.schedule.terms import PassTerms
from agent.store import clusters
from agent.store.store import Store
from agent.store.submitted import lookup
from agent.telemetry import scheduler_metrics as metrics

_log = structlog.get_logger(__name__)


class LeaseExpiry:
    """Expires leases: of clusters that this leader has not heard of for a whole lease, which is at least its own term.

    While the broker does not answer, nobody can be heard, so silence begins again when it does.
    """

    def __init__(
        self,
        store: Store,
        broker: Broker,
        *,
        terms: Callable[[], PassTerms],
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._broker = broker
        self._terms = terms
        self._clock = clock
        self._monotonic = monotonic
        self._silence = Silence(now=monotonic())
        self._held: frozenset[str] = frozenset()

    def run(self, fence: Fence) -> None:
        """Look who is silent, and decide what is lost. Raises LeadershipLost, StoreError."""
        try:
            self._broker.ping()
        except BrokerError:
            self._silence = Silence(now=self._monotonic())
            return
        terms = self._terms()
        lost = self._look(terms)
        self._alarm(lost)
        if not lost.lost:
            return
        with self._store.read() as connection:
            waiting = iter(lookup.jobs_in(connection, lost.lost.keys()))
        while job_ids := list(islice(waiting, SLICE)):
            with self._store.decide(job_ids) as connection:
                fence(connection)
                now = self._clock(connection)
                count = expire(connection, job_ids, silent=lost.lost, inputs=terms.inputs, now=now)
            metrics.LEASES_EXPIRED.inc(count)

    def _look(self, terms: PassTerms) -> Lost:
        with self._store.read() as connection:
            known = clusters.everything(connection)
            open_runs = lookup.open_runs(connection)
        now = self._monotonic()
        self._silence.hear(((cluster.cluster_id, cluster.received_at) for cluster in known), now=now)
        silent = {cluster_id: self._silence.since(cluster_id, now=now) for cluster_id in open_runs}
        return lost_clusters(silent, lease=terms.runs.lease + terms.runs.clock_skew)

    def _alarm(self, lost: Lost) -> None:
        metrics.LEASES_HELD.set(len(lost.held))
        if lost.held and lost.held != self._held:
            _log.error(
                "several clusters fell silent at once; their runs are left alone until they return",
                clusters=sorted(lost.held),
            )
        self._held = lost.held
