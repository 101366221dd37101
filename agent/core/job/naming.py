"""What a pod of an Indexed Job is called, and what is written on it (A8)."""

from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.match import judge
from agent.core.job.pod import FAILURE_COUNT, IGNORED_FAILURE_COUNT, INDEX, JobPod
from agent.core.job.words import JobSpec

LONGEST_GENERATE_NAME = 58
"""In characters: a label of 63 less the 5 that the API server adds."""


def generate_name(job: str, index: int) -> str:
    """Return ``generateName`` of a pod with an index (``podGenerateNameWithIndex``)."""
    ending = f"-{index}-"
    return f"{job[: LONGEST_GENERATE_NAME - len(ending)]}{ending}"


def next_failure_counts(replaced: JobPod | None, spec: JobSpec, *, gates: Gates = ALL_ON) -> tuple[int, int]:
    """Return the failure count and the ignored failure count of the pod that replaces one (A8).

    ``getNewIndexFailureCounts``.
    """
    if replaced is None:
        return 0, 0
    counts = judge(spec.pod_failure_policy, replaced, gates=gates).counts
    return replaced.failure_count + counts, replaced.ignored_failure_count + (not counts)


def annotations(index: int, *, counts: tuple[int, int] | None) -> dict[str, str]:
    """Return the annotations of a pod with an index; ``counts`` are there with ``backoffLimitPerIndex`` only (A8)."""
    written = {INDEX: str(index)}
    if counts is not None:
        written[FAILURE_COUNT] = str(counts[0])
        if counts[1] > 0:
            written[IGNORED_FAILURE_COUNT] = str(counts[1])
    return written
