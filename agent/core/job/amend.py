"""A Job whose spec was changed while it runs: what may change is A2.1's, and Indexed Jobs scale."""

from agent.core.job.counters import Counters, open_job
from agent.core.job.words import JobSpec


def amend(counters: Counters, spec: JobSpec) -> Counters:
    """Return the counters under a changed spec, which has its defaults and passed ``validate_update``.

    Costs nothing but where ``completions`` changed, then what exists: indexes at or above it are forgotten, as the Job
    controller reads the status (A9), and run anew if it grows again.
    """
    if spec.completions == counters.spec.completions:
        counters.spec = spec
        return counters
    after = open_job(
        spec,
        status=counters.report(),
        pods=counters.pods.values(),
        gates=counters.gates,
        choices=counters.choices,
        pace=counters.pace,
        record=counters.record,
    )
    after.released = counters.released
    after.told = (counters.succeeded, counters.failed) == (after.succeeded, after.failed)
    return after
