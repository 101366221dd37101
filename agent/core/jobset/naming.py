"""Names and labels of the child Jobs of a JobSet (``labelAndAnnotateObject``)."""

from hashlib import sha1

from agent.core.jobset.child import JOB_INDEX, JOB_RESTART_ATTEMPT, REPLICATED_JOB, RESTART_ATTEMPT
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import ReplicatedJob

_PREFIX = "jobset.sigs.k8s.io"


def job_name(jobset: str, replicated_job: str, index: int) -> str:
    """Return the name of a child Job; the same in every attempt."""
    return f"{jobset}-{replicated_job}-{index}"


def labels(jobset: JobSet, status: JobSetStatus, replicated: ReplicatedJob, index: int) -> dict[str, str]:
    """Return the labels of a child Job, which are also its annotations and those of its pods.

    The attempt of a single Job is included only with the gate RestartJob.
    """
    name = job_name(jobset.name, replicated.name, index)
    place = _first_place(jobset, replicated) + index
    written = {
        f"{_PREFIX}/jobset-name": jobset.name,
        f"{_PREFIX}/jobset-uid": jobset.uid,
        REPLICATED_JOB: replicated.name,
        f"{_PREFIX}/replicatedjob-replicas": str(replicated.replicas),
        f"{_PREFIX}/global-replicas": str(jobset.spec.replicas),
        RESTART_ATTEMPT: str(status.restarts),
        JOB_INDEX: str(index),
        f"{_PREFIX}/job-global-index": str(place),
        f"{_PREFIX}/job-key": sha1(f"{jobset.namespace}/{name}".encode(), usedforsecurity=False).hexdigest(),
    }
    if jobset.gates.restart_job:
        written[JOB_RESTART_ATTEMPT] = str(status.job_restarts(replicated.name, replicated.replicas)[index])
    return written


def _first_place(jobset: JobSet, replicated: ReplicatedJob) -> int:
    before = jobset.spec.replicated_jobs
    return sum(earlier.replicas for earlier in before[: before.index(replicated)])
