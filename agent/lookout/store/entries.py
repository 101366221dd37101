"""Entries: what messages say, sorted by the tables that have it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, assert_never

from sqlalchemy import Connection, Table, select

from agent.core.heartbeat import Heartbeat
from agent.core.job_event import JobEvent, JobRequested, LeaseRejected, RunDecided, RunLeased
from agent.core.run_event import RuleSetLoaded, RunEvent
from agent.lookout.store import clusters, decisions, facts, failures, jobs, merged, runs
from agent.lookout.store.fitting import fit
from agent.lookout.store.runs import Reported
from agent.lookout.store.tables import decision_table, job_request_table, job_table, run_table
from agent.store.columns import Row
from agent.store.insert import insert_missing

Entry = RunEvent | JobEvent | RuleSetLoaded | Heartbeat
"""What a message says, as the readers of ``agent.wire`` give it."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many runs and failures a batch added, and how many of its messages were too old to be stored.

    ``changed``: rows of jobs, runs and clusters that were there and are different now.
    """

    runs: int
    failures: int
    too_old: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Pruned:
    """Runs and jobs that were pruned, or would be at once."""

    runs: frozenset[str]
    jobs: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.runs or self.jobs)

    def concerns(self, entry: Entry) -> bool:
        """Whether the entry is about one of them. What is about a run is stored only with the run."""
        match entry:
            case RunEvent():
                return fit("run_id", entry.identity.run_id) in self.runs
            case JobEvent(event=RunLeased() | LeaseRejected() | RunDecided() as content):
                return fit("run_id", content.run_id) in self.runs
            case JobEvent():
                return fit("job_id", entry.job_id) in self.jobs
            case _:
                return False


def _unknown(connection: Connection, table: Table, reported: Mapping[str, Row], since: datetime) -> frozenset[str]:
    old = {name for name, row in reported.items() if row["last_day"] < since}
    if not old:
        return frozenset()
    (key,) = table.primary_key
    return frozenset(old.difference(connection.scalars(select(key).where(key.in_(old)))))


@dataclass(slots=True)
class Entries:
    """What a batch says, by table."""

    jobs: dict[str, Row] = field(default_factory=dict)
    reported: Reported = field(default_factory=Reported)
    decisions: dict[str, Row] = field(default_factory=dict)
    requests: dict[str, Row] = field(default_factory=dict)
    clusters: dict[str, Row] = field(default_factory=dict)
    rules: dict[tuple[Any, ...], Row] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        match entry:
            case RunEvent():
                self._job_of_run(entry)
                self.reported.add(facts.of_run_event(entry), failures.reported(entry))
            case JobEvent():
                self._job(jobs.of_job_event(entry))
                self._job_event(entry)
            case RuleSetLoaded():
                self._cluster(clusters.of_rule_set(entry))
                self.rules.update(clusters.rule_rows(entry))
            case Heartbeat():
                self._cluster(clusters.of_heartbeat(entry))
            case _:
                assert_never(entry)

    def _job_event(self, event: JobEvent) -> None:
        match event.event:
            case JobRequested() as requested:
                self.requests[event.event_id] = decisions.request_row(event, requested)
            case RunLeased() | LeaseRejected() as content:
                self.reported.add(facts.of_job_event(event, content))
            case RunDecided() as decided:
                self.decisions[event.event_id] = decisions.decision_row(event, decided)
                self.reported.add(facts.of_job_event(event, decided))

    def _job_of_run(self, event: RunEvent) -> None:
        known = self.jobs.get(event.identity.job_id)
        if known is None or not jobs.says(known, event):  # to merge what is known takes five times as long
            self._job(jobs.of_run_event(event))

    def _job(self, row: Row) -> None:
        merged.add(self.jobs, row["job_id"], row, jobs.merge)

    def _cluster(self, row: Row) -> None:
        merged.add(self.clusters, row["cluster_id"], row, clusters.merge)

    def scopes(self) -> list[str]:
        """The names of the locks on everything that is merged with rows that exist."""
        return [
            *(f"job {name}" for name in self.jobs),
            *(f"run {name}" for name in self.reported.facts),
            *self.clusters,
            *(f"rules {key[0]}" for key in self.rules),
        ]

    def pruned(self, connection: Connection, since: datetime) -> Pruned:
        """The runs and jobs that are not stored, and of which this batch has only what is from before ``since``."""
        return Pruned(
            runs=_unknown(connection, run_table, self.reported.facts, since),
            jobs=_unknown(connection, job_table, self.jobs, since),
        )

    def write(self, connection: Connection, since: datetime | None) -> Recorded:
        """Write the rows, table after table in the same order, so that two transactions never wait for each other.

        Runs that ended before ``since`` are not counted.
        """
        changed = clusters.record(connection, self.clusters)
        clusters.record_rules(connection, self.rules)
        changed += jobs.record(connection, self.jobs)
        for table, rows in ((decision_table, self.decisions), (job_request_table, self.requests)):
            insert_missing(connection, table, [rows[event_id] for event_id in sorted(rows)])
        written = runs.record(connection, self.reported, since)
        return Recorded(runs=written.new, failures=written.failures, changed=changed + written.changed)
