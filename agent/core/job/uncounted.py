"""What an interrupted step left in ``uncountedTerminatedPods``: pods to count when their finalizer is gone."""

from collections.abc import Iterable
from dataclasses import replace

from agent.core.job.counters import Counters


def count_released(counters: Counters) -> None:
    """Count the pods in the status whose finalizer is gone (``cleanUncountedPodsWithoutFinalizers``).

    Free if the status names no pods.
    """
    status = counters.status
    if not status.uncounted_succeeded and not status.uncounted_failed:
        return
    succeeded = _tracked(counters, status.uncounted_succeeded)
    failed = _tracked(counters, status.uncounted_failed)
    after = replace(
        status,
        succeeded=status.succeeded + len(status.uncounted_succeeded) - len(succeeded),
        failed=status.failed + len(status.uncounted_failed) - len(failed),
        uncounted_succeeded=succeeded,
        uncounted_failed=failed,
    )
    counters.status_current = counters.status_current and after == status
    counters.status = after


def _tracked(counters: Counters, uids: Iterable[str]) -> tuple[str, ...]:
    return tuple(uid for uid in uids if (pod := counters.pods.get(uid)) is not None and pod.tracked)
