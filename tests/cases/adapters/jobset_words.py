"""What the file of JobSet's cases writes, in our words."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.core.job.status import JobCondition, JobStatus
from agent.core.jobset.child import FailedJob, failure_of
from agent.core.jobset.defaults import defaulted
from agent.core.jobset.gates import gates_of
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.reading import read_jobset_spec

NOW = datetime(2026, 1, 1, tzinfo=UTC)

Written = Mapping[str, Any]


def jobset_of(data: Written, *, name: str = "js") -> JobSet:
    """The JobSet of a case, with its defaults."""
    replicated = [
        {"template": {"spec": _job(one)}, **{key: one[key] for key in ("name", "replicas") if key in one}}
        for one in data["replicatedJobs"]
    ]
    spec = read_jobset_spec({"replicatedJobs": replicated, "failurePolicy": data.get("failurePolicy")})
    return JobSet(name=name, spec=defaulted(spec), gates=gates_of(dict(data.get("featureGates", {}))))


def _job(one: Written) -> dict[str, Any]:
    return {key: value for key, value in one.items() if key not in ("name", "replicas")}


def failed_jobs(written: Iterable[Written]) -> list[FailedJob]:
    """The Jobs of a case that failed."""
    told = (failure_of(one["name"], one.get("labels", {}), _status(one)) for one in written)
    return [job for job in told if job is not None]


def _status(one: Written) -> JobStatus:
    said = one.get("failedCondition")
    if said is None:
        return JobStatus()
    ago = said.get("lastTransitionSecondsAgo", 0)
    condition = JobCondition(
        type=said["type"],
        status=said["status"],
        reason=said.get("reason", ""),
        message=said.get("message", ""),
        at=NOW - timedelta(seconds=ago),
    )
    return JobStatus(conditions=(condition,))
