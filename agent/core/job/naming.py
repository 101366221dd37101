"""Names, labels and annotations of the pods of an Indexed Job (KEP-3850)."""

from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.match import judge
from agent.core.job.pod import FAILURE_COUNT, IGNORED_FAILURE_COUNT, INDEX, JobPod
from agent.core.job.words import JobSpec

LONGEST_GENERATE_NAME = 58
"""In characters: a label of 63 less the 5 that the API server adds."""

LONGEST_NAME = 253

DRAWN = "xxxxx"
"""Placeholder for the random characters of the API server."""


def drawn_name(generate_name: str) -> str:
    """Return a name as the API server derives it from ``generateName``, ending in ``DRAWN``."""
    return f"{generate_name[:LONGEST_GENERATE_NAME]}{DRAWN}"


def pod_prefix(job: str) -> str:
    """Return ``generateName`` of a pod without an index, without the dash if the name is invalid (client-go)."""
    return job if len(job) >= LONGEST_NAME else f"{job}-"


def generate_name(job: str, index: int) -> str:
    """Return ``generateName`` of a pod with an index (``podGenerateNameWithIndex``)."""
    ending = f"-{index}-"
    return f"{job[: LONGEST_GENERATE_NAME - len(ending)]}{ending}"


def next_failure_counts(replaced: JobPod | None, spec: JobSpec, *, gates: Gates = ALL_ON) -> tuple[int, int]:
    """Return the failure count and the ignored failure count of the pod that replaces one.

    ``getNewIndexFailureCounts``.
    """
    if replaced is None:
        return 0, 0
    counts = judge(spec.pod_failure_policy, replaced, gates=gates).counts
    return replaced.failure_count + counts, replaced.ignored_failure_count + (not counts)


def annotations(index: int, *, counts: tuple[int, int] | None) -> dict[str, str]:
    """Return the annotations of a pod with an index; ``counts`` only with ``backoffLimitPerIndex``."""
    written = {INDEX: str(index)}
    if counts is not None:
        written[FAILURE_COUNT] = str(counts[0])
        if counts[1] > 0:
            written[IGNORED_FAILURE_COUNT] = str(counts[1])
    return written
