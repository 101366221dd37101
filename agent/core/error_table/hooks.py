"""When PanDA evaluates its rules, and for which errors; only for compatible mode."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from agent.core.error_table.given import NULL, Code, JobError

KEPT_FOR = timedelta(hours=1)
"""How long each of upstream's processes acts on the rules it has read."""

_TRANSFORMATION = "transExitCode"


class Happened(StrEnum):
    REPORTED_FAILED = "reported failed"
    REPORTED_AFTER_SOFT_KILL = "reported after it was asked to end"
    """The job reports itself (``commandToPilot=tobekilled``), and is then renamed to cancelled."""
    REPORTED_AFTER_CANCEL = "reported after it was cancelled"
    """The job's attempt was counted when it was cancelled."""
    TIMED_OUT = "timed out"
    KILLED_DIRECTLY = "killed directly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One evaluation of rules; ``early`` is before the attempt is counted. ``raises``: the call itself is broken."""

    errors: tuple[JobError, ...]
    early: bool
    raises: bool = False


def calls(happened: Happened, codes: Mapping[str, Code] | None) -> tuple[Call, ...]:
    """When rules are evaluated. ``codes`` are the job's, by source; ``None`` is a job that does not exist."""
    if codes is None or happened is Happened.KILLED_DIRECTLY:
        return ()
    if happened is Happened.TIMED_OUT:
        return _timed_out(codes)
    zeroed = happened is Happened.REPORTED_AFTER_CANCEL
    sources = () if zeroed else ("pilotErrorCode", "exeErrorCode", "ddmErrorCode")
    early = [_error(source, codes) for source in sources if codes.get(source)]
    if codes.get(_TRANSFORMATION, NULL):
        early.append(_error(_TRANSFORMATION, codes))
    asked = [Call(errors=tuple(early), early=not zeroed)] if early else []
    if codes.get("taskBufferErrorCode") and happened is Happened.REPORTED_FAILED:  # only a job that is stored as failed
        asked.append(Call(errors=(_error("taskBufferErrorCode", codes),), early=False))
    return tuple(asked)


def status_after(happened: Happened, before: str | None) -> str | None:
    """The status in which the job ends, of the one it had."""
    match happened:
        case Happened.REPORTED_FAILED | Happened.TIMED_OUT:
            return "failed"
        case Happened.REPORTED_AFTER_SOFT_KILL:
            return "cancelled"
        case Happened.REPORTED_AFTER_CANCEL | Happened.KILLED_DIRECTLY:
            return before
        case _:
            assert_never(happened)


def serves(loaded_at: datetime, now: datetime) -> bool:
    """Whether rules read at that time are still used: at exactly one hour they are."""
    return now - loaded_at <= KEPT_FOR


def _timed_out(codes: Mapping[str, Code]) -> tuple[Call, ...]:
    """The second call has been broken since 2021: it passes six arguments to a function that takes four."""
    first = Call(errors=(_error("jobDispatcherErrorCode", codes),), early=False)
    if not codes.get("taskBufferErrorCode"):
        return (first,)
    return first, Call(errors=(_error("taskBufferErrorCode", codes),), early=False, raises=True)


def _error(source: str, codes: Mapping[str, Code]) -> JobError:
    return JobError(source=source, code=codes.get(source, NULL), diag="" if source == _TRANSFORMATION else None)
