"""What it means to a run that its recorded pod is in the list of a cluster's pods."""

from datetime import datetime

from agent.core.lifecycle.run import JobRun
from agent.core.run_event import Confirmation, ListedRun


def is_without_effect(listed: ListedRun, run: JobRun, *, as_of: datetime | None, changed_at: datetime) -> bool:
    """Whether the list proves that the start or the stop of the pod had no effect, so that it is to be sent again.

    The run changed last at ``changed_at``; the list is as of a time of the same clock, or older if ``None``. A stop
    without an answer is sent again anyway (``repeats``).
    """
    if as_of is None or as_of <= changed_at:
        return False
    if run.is_open:
        return listed.gated and run.phase is None
    stopped = run.answered is not None or run.confirmed is Confirmation.PERSON
    return stopped and listed.confirmed is None and run.confirmed in (None, Confirmation.PERSON)
