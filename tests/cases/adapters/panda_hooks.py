"""PanDA's cases of its cache, and of when it asks its rules; both are its own and run as it is today only."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.core.error_table.given import NULL
from agent.core.error_table.hooks import Call, Happened, calls, serves, status_after
from agent.core.error_table.row import ReadingMode

Words = Mapping[str, Any]
_TIMED_OUT = ("watcher", "heartbeat", "timeout", "timed_out")
_ENDED_DIRECTLY = ("kill", "expir", "rebroker", "reassign", "close", "cancel")
_REPORTED = ("report", "adder")
_OF_REPORTS = ("pilotErrorCode", "exeErrorCode", "ddmErrorCode", "transExitCode")
START = datetime(2026, 1, 1, tzinfo=UTC)


def tell_cache(given: Words, mode: ReadingMode) -> Words:
    """Which version of the rules each call acts on."""
    del mode
    told: list[Words] = []
    kept: tuple[datetime, int] | None = None
    loads = 0
    for second in given["call_times_s"]:
        now = START + timedelta(seconds=second)
        if kept is None or not serves(kept[0], now):
            loads += 1
            kept = None if loads in given["load_numbers_that_fail"] else (now, loads)
        told.append({"t_s": second, "raised": True} if kept is None else {"t_s": second, "version": kept[1]})
    return {"calls": told}


def tell_calls(given: Words, mode: ReadingMode) -> Words:
    """The calls that are made, and what comes of rules that fail."""
    del mode
    if given.get("rules_raise"):
        return {"job_status": "failed", "classification_run": False}
    job = given.get("job", {})
    what = happened(given)
    made = calls(what, job)
    told = [_call(one) for one in made if not one.raises]
    broken = [one for one in made if one.raises]
    ends = status_after(what, (job or {}).get("jobStatus"))
    return {
        "postprocessing_calls": told,
        "final_job_status": ends,
        **({"raised": "TypeError"} if broken else {}),
    }


def happened(given: Words) -> Happened:
    """What the event of a case is to PanDA; a job that was ended directly may be reported afterwards."""
    event, job = str(given["event"]), given.get("job") or {}
    if "soft" in event or job.get("commandToPilot") == "tobekilled":
        return Happened.REPORTED_AFTER_SOFT_KILL
    if any(word in event for word in _TIMED_OUT):
        return Happened.TIMED_OUT
    is_over = job.get("jobStatus") in ("cancelled", "closed")
    ended = any(word in event for word in _ENDED_DIRECTLY)
    if not (is_over or ended):
        return Happened.REPORTED_FAILED
    codes_of_a_report = "cancel" in event and any(job.get(source) for source in _OF_REPORTS)
    reported = codes_of_a_report or any(word in event for word in _REPORTED)
    directly = "direct" in event or (ended and not reported)
    return Happened.KILLED_DIRECTLY if directly else Happened.REPORTED_AFTER_CANCEL


def _call(one: Call) -> Words:
    names = [f"{error.source}(NULL, skipped)" if error.code == NULL else error.source for error in one.errors]
    return {"errors": names, "before_attempt_increment": one.early}
