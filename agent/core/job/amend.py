"""A spec that was changed while the Job runs: ``validation_update`` says what may change, and Indexed Jobs scale."""

from agent.core.job.counters import Counters, open_job
from agent.core.job.words import JobSpec


def amend(counters: Counters, spec: JobSpec) -> Counters:
    """Return the counters for a changed spec, which has its defaults and passed ``validate_update``.

    Free unless ``completions`` or ``podReplacementPolicy`` changed; then the cost depends on what exists. Indexes at or
    above ``completions`` are forgotten, as when the Job controller reads the status, and run again if it grows
    again; the new policy decides whether pods that are being deleted have failed.
    """
    before = counters.spec
    if (spec.completions, spec.pod_replacement_policy) == (before.completions, before.pod_replacement_policy):
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
    after.status_current = after.status_current and counters.status_current
    return after
