"""A Job whose spec was changed while it runs: what may change is A2.1's, and Indexed Jobs scale."""

from agent.core.job.counters import Counters, open_job
from agent.core.job.words import JobSpec


def amend(counters: Counters, spec: JobSpec) -> Counters:
    """Return the counters under a changed spec, which has its defaults and passed ``validate_update``.

    Costs nothing unless ``completions`` or ``podReplacementPolicy`` changed, then what exists: indexes at or above
    ``completions`` are forgotten, as the Job controller reads the status (A9), and run anew if it grows again; pods
    that are being deleted are failed ones or not, as the policy now says (A3).
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
