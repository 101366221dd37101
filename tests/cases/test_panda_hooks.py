"""Every event that panda-retry.md 4 names is read as what it is."""

from typing import Any

import pytest

from agent.core.error_table.hooks import Happened
from agent.core.error_table.row import ReadingMode
from tests.cases.adapters.panda_hooks import happened, tell_calls

CODES = {"pilotErrorCode": 1305, "transExitCode": "65"}
CANCELLED = {**CODES, "jobStatus": "cancelled"}


@pytest.mark.parametrize(
    ("event", "job", "wanted"),
    [
        ("job_report_failed", CODES, Happened.REPORTED_FAILED),
        ("job_report_failed", CANCELLED, Happened.REPORTED_AFTER_CANCEL),
        ("job_report_failed", {**CODES, "jobStatus": "closed"}, Happened.REPORTED_AFTER_CANCEL),
        ("job_report_after_cancel", CODES, Happened.REPORTED_AFTER_CANCEL),
        ("job_already_cancelled", CODES, Happened.REPORTED_AFTER_CANCEL),
        ("worker_ended", {"taskBufferErrorCode": 300}, Happened.REPORTED_FAILED),
        ("kill_job_soft", {**CODES, "commandToPilot": "tobekilled"}, Happened.REPORTED_FAILED),
        ("job_report_failed", {**CANCELLED, "commandToPilot": "tobekilled"}, Happened.REPORTED_FAILED),
        ("watcher_timeout", {"jobDispatcherErrorCode": 100}, Happened.TIMED_OUT),
        ("heartbeat_lost", {"jobDispatcherErrorCode": 100, "supErrorCode": 2}, Happened.TIMED_OUT),
        ("kill_job_direct", None, Happened.KILLED_DIRECTLY),
        ("kill_job_direct", CANCELLED, Happened.KILLED_DIRECTLY),
        ("forced_kill", None, Happened.KILLED_DIRECTLY),
        ("expired", None, Happened.KILLED_DIRECTLY),
        ("job_expiry", CODES, Happened.KILLED_DIRECTLY),
        ("job_rebrokerage", {"jobStatus": "closed"}, Happened.KILLED_DIRECTLY),
        ("jedi_reassigned", None, Happened.KILLED_DIRECTLY),
        ("cancelled", {"jobStatus": "cancelled"}, Happened.KILLED_DIRECTLY),
    ],
)
def test_an_event_is_read_as_what_it_is(event: str, job: dict[str, Any] | None, wanted: Happened) -> None:
    assert happened({"event": event, "job": job}) is wanted


def test_jobs_that_are_ended_directly_never_reach_the_rules() -> None:
    assert tell_calls({"event": "expired", "job": CODES}, ReadingMode.COMPATIBLE) == {"postprocessing_calls": []}
