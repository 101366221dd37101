"""Every event at which PanDA asks its retry module (PanDAWMS/panda-server at 9cc36033) is read as what it is."""

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
        ("kill_job_soft", {**CODES, "commandToPilot": "tobekilled"}, Happened.REPORTED_AFTER_SOFT_KILL),
        ("job_report_failed", {**CANCELLED, "commandToPilot": "tobekilled"}, Happened.REPORTED_AFTER_SOFT_KILL),
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
    assert tell_calls({"event": "expired", "job": CODES}, ReadingMode.COMPATIBLE)["postprocessing_calls"] == []


def asked(event: str, **job: Any) -> list[tuple[list[str], bool]]:
    told = tell_calls({"event": event, "job": job}, ReadingMode.COMPATIBLE)["postprocessing_calls"]
    return [(call["errors"], call["before_attempt_increment"]) for call in told]


def test_a_kill_that_is_reported_later_is_asked_about_after_its_attempt_was_counted() -> None:
    assert asked("job_report_failed", jobStatus="cancelled", **CODES) == [(["transExitCode"], False)]


def test_a_job_that_was_told_to_end_is_asked_about_once() -> None:
    codes = {**CODES, "taskBufferErrorCode": 300, "commandToPilot": "tobekilled"}

    assert asked("job_report_failed", **codes) == [(["pilotErrorCode", "transExitCode"], True)]
    assert (
        tell_calls({"event": "job_report_failed", "job": codes}, ReadingMode.COMPATIBLE)["final_job_status"]
        == "cancelled"
    )
