"""JobSets that tests need, short to write."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agent.core.job.defaults import defaulted as defaulted_job
from agent.core.job.manifest import JobManifest
from agent.core.jobset.child import JOB_INDEX, REPLICATED_JOB, FailedJob
from agent.core.jobset.choices import AS_UPSTREAM, Choices
from agent.core.jobset.defaults import defaulted
from agent.core.jobset.gates import ALL_ON, Gates
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.play import JobSetPlay
from agent.core.jobset.reading import read_jobset_spec

NOW = datetime(2026, 1, 1, tzinfo=UTC)

TEMPLATE = {
    "spec": {
        "parallelism": 1,
        "completions": 1,
        "backoffLimit": 0,
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}},
    }
}


def jobset(
    policy: Mapping[str, Any] | None = None,
    *,
    gates: Gates = ALL_ON,
    choices: Choices = AS_UPSTREAM,
    replicas: dict[str, int] | None = None,
    **fields: Any,
) -> JobSet:
    """A JobSet ``js`` of replicated jobs ``a`` (one replica) and ``b`` (two), unless said otherwise."""
    replicated = [
        {"name": name, "replicas": count, "template": TEMPLATE}
        for name, count in (replicas or {"a": 1, "b": 2}).items()
    ]
    spec = defaulted(read_jobset_spec({"replicatedJobs": replicated, "failurePolicy": policy, **fields}))
    jobs = {
        replicated.name: JobManifest(name=replicated.name, spec=defaulted_job(replicated.spec))
        for replicated in spec.replicated_jobs
    }
    return JobSet(name="js", uid="u", spec=spec, gates=gates, choices=choices, jobs=jobs)


def play(of: JobSet, *, lingering: bool = False) -> JobSetPlay:
    """A JobSet that has begun, all of its Jobs ready."""
    made = JobSetPlay(jobset=of, now=NOW, lingering=lingering)
    made.settle()
    made.make_ready(list(made.children))
    return made


def failed(name: str = "b", index: int = 0, reason: str = "BackoffLimitExceeded", message: str = "") -> FailedJob:
    """A Job that failed now."""
    labels = {REPLICATED_JOB: name, JOB_INDEX: str(index)}
    return FailedJob(name=f"js-{name}-{index}", labels=labels, reason=reason, message=message, at=NOW)
