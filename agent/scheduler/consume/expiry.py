"""Decides runs whose cluster is lost: the scheduler's own occurrence, with its own event id."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from agent.core.failure import Occurrence
from agent.core.lifecycle.run import JobRun, LostCluster
from agent.core.run_event import PodReference, RunEvent
from agent.core.summary.internal import ended_unseen
from agent.observe.event_id import scheduler_event_id
from agent.scheduler.consume import stored
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.submitted import SubmittedJobs
from agent.scheduler.consume.summary import summarize
from agent.scheduler.effects.advanced import identity_of
from agent.scheduler.effects.write import write
from agent.store import clusters, failures, runs
from agent.store.runs import ReceivedEvent
from agent.store.submitted import held
from agent.store.submitted.held import Held


def expire(
    connection: Connection,
    job_ids: Sequence[str],
    *,
    silent: Mapping[str, float],
    inputs: DecisionInputs,
    now: datetime,
) -> int:
    """Decide the open runs of these jobs, whose scopes are locked; return how many.

    ``silent`` has the seconds since the lease of each lost cluster ran out, by id: a run also has its grace period.
    """
    lost = [
        (found, run)
        for found in held.load(connection, job_ids).values()
        if (run := found.job.open_run) is not None and _is_lost(run, silent)
    ]
    names = {cluster.cluster_id: cluster.name for cluster in clusters.everything(connection)}
    pods = runs.pod_names(connection, [run.run_id for _, run in lost])
    reports = {
        found.job.job_id: ReceivedEvent(event=_event(found, run, names[run.cluster], pods.get(run.run_id, ""), now))
        for found, run in lost
    }
    window = inputs.catalog.longest_window
    since = None if window is None else now - window
    known = stored.known(connection, reports.keys(), list(reports.values()), since=since)
    submitted = SubmittedJobs(known, inputs=inputs, now=now)
    for job_id, report in reports.items():
        submitted.expire(job_id, report)
    failures.store_new(connection, submitted.arrivals, stored_at=now)
    write(connection, list(submitted.jobs.values()), now=now, prefix=inputs.prefix)
    summarize(connection, submitted.reports, arrivals=submitted.arrivals, decided=submitted.decided)
    return len(submitted.arrivals)


def _is_lost(run: JobRun, silent: Mapping[str, float]) -> bool:
    replaced = run.terms.lost_cluster is LostCluster.REPLACE
    return replaced and silent.get(run.cluster, -1.0) >= run.terms.grace.total_seconds()


def _event(found: Held, run: JobRun, cluster: str, pod_name: str, now: datetime) -> RunEvent:
    return RunEvent(
        event_id=scheduler_event_id(run.run_id, Occurrence.LEASE_EXPIRED),
        cluster_id=run.cluster,
        cluster=cluster,
        identity=identity_of(found, run),
        pod=PodReference(namespace=found.submission.namespace, name=pod_name, uid=run.uid or "", node=run.node),
        occurred_at=now,
        observed_at=now,
        event=ended_unseen(Occurrence.LEASE_EXPIRED),
    )
