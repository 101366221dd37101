"""PanDA's cases of its cache, and of when it asks its rules; both are its own and run as it is today only."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.core.error_table.given import NULL
from agent.core.error_table.hooks import Call, Happened, calls, serves
from agent.core.error_table.row import Mode

Words = Mapping[str, Any]
START = datetime(2026, 1, 1, tzinfo=UTC)


def tell_cache(given: Words, mode: Mode) -> Words:
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


def tell_calls(given: Words, mode: Mode) -> Words:
    """The calls that are made, and what comes of rules that fail."""
    del mode
    if given.get("rules_raise"):
        return {"job_status": "failed", "classification_run": False}
    job = given.get("job", {})
    made = calls(_happened(given), job)
    told = [_call(one) for one in made if not one.raises]
    broken = [one for one in made if one.raises]
    return {"postprocessing_calls": told, **({"raised": "TypeError"} if broken else {})}


def _happened(given: Words) -> Happened:
    event, status = str(given["event"]), str((given.get("job") or {}).get("jobStatus", ""))
    if "kill" in event and "soft" not in event:
        return Happened.KILLED_DIRECTLY
    if "watcher" in event:
        return Happened.TIMED_OUT
    if "cancel" in event or status in ("cancelled", "closed"):
        return Happened.REPORTED_AFTER_CANCEL
    return Happened.REPORTED_FAILED


def _call(one: Call) -> Words:
    names = [f"{error.source}(NULL, skipped)" if error.code == NULL else error.source for error in one.errors]
    return {"errors": names, "before_attempt_increment": one.early}
