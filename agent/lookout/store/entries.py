"""Entries: what messages say, sorted by the tables that have it."""

from dataclasses import dataclass, field
from typing import Any, assert_never

from sqlalchemy import Connection

from agent.core.heartbeat import Heartbeat
from agent.core.job_event import JobEvent, JobRequested, LeaseRejected, RunDecided, RunLeased
from agent.core.run_event import RuleSetLoaded, RunEvent
from agent.lookout.store import clusters, decisions, facts, failures, jobs, merged, runs
from agent.lookout.store.runs import Reported
from agent.lookout.store.tables import decision_table, job_request_table
from agent.store.columns import Row
from agent.store.insert import insert_missing

Entry = RunEvent | JobEvent | RuleSetLoaded | Heartbeat
"""What a message says, as the readers of ``agent.wire`` give it."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many runs and failures a batch added."""

    runs: int
    failures: int


@dataclass(slots=True)
class Entries:
    """What a batch says, by table. ``add`` takes each entry with the paths of texts that were sanitized."""

    jobs: dict[str, Row] = field(default_factory=dict)
    reported: Reported = field(default_factory=Reported)
    decisions: dict[str, Row] = field(default_factory=dict)
    requests: dict[str, Row] = field(default_factory=dict)
    clusters: dict[str, Row] = field(default_factory=dict)
    rules: dict[tuple[Any, ...], Row] = field(default_factory=dict)

    def add(self, entry: Entry, sanitized: tuple[str, ...]) -> None:
        match entry:
            case RunEvent():
                self._job(jobs.of_run_event(entry))
                failure = failures.reported(entry, sanitized)
                self.reported.add(facts.of_run_event(entry, sanitized), failure)
            case JobEvent():
                self._job(jobs.of_job_event(entry))
                self._job_event(entry, sanitized)
            case RuleSetLoaded():
                self._cluster(clusters.of_rule_set(entry))
                self.rules.update(clusters.rule_rows(entry))
            case Heartbeat():
                self._cluster(clusters.of_heartbeat(entry))
            case _:
                assert_never(entry)

    def _job_event(self, event: JobEvent, sanitized: tuple[str, ...]) -> None:
        match event.event:
            case JobRequested() as requested:
                self.requests[event.event_id] = decisions.request_row(event, requested)
            case RunLeased() | LeaseRejected() as content:
                self.reported.add(facts.of_job_event(event, content, sanitized))
            case RunDecided() as decided:
                self.decisions[event.event_id] = decisions.decision_row(event, decided)
                self.reported.add(facts.of_job_event(event, decided, sanitized))

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
        ]

    def write(self, connection: Connection) -> Recorded:
        """Write the rows, table after table in the same order, so that two transactions never wait for each other."""
        clusters.record(connection, self.clusters)
        clusters.record_rules(connection, self.rules)
        jobs.record(connection, self.jobs)
        for table, rows in ((decision_table, self.decisions), (job_request_table, self.requests)):
            insert_missing(connection, table, [rows[event_id] for event_id in sorted(rows)])
        new_runs, new_failures = runs.record(connection, self.reported)
        return Recorded(runs=new_runs, failures=new_failures)
