"""``failctl error-rule decide``: applies an error table to a series of failures, without a cluster."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.console.terminal import visible
from agent.core.error_table.answer import ErrorRules, MoreMemory
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.play import RunAnswer, play
from agent.core.limit import Limit
from agent.ctl.error_rule.files import read_table, searches
from agent.ctl.files import load_file
from agent.ctl.tables import mode_named, read_codes
from agent.manifests.error_table.course import load_course


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRuleRequest:
    table: Path
    failures: Path
    form: str | None = None
    mode: str = "strict"
    codes: Path | None = None
    at: str | None = None
    output: Form = "table"


def run(request: ErrorRuleRequest, *, now: datetime, out: TextIO) -> Exit:
    """Print the result after each run. Raises UsageError for files that cannot be used."""
    mode, codes = mode_named(request.mode), read_codes(request.codes)
    table, _ = read_table(request.table, request.form, mode)
    course = load_file(request.failures, partial(load_course, codes=codes))
    backtracking = searches()
    compiled = compile_table(table, searches=backtracking)
    error_rules = ErrorRules(table=compiled, codes=codes, mode=mode, searches=backtracking)
    answers = play(course, error_rules, now=_time(request.at) or now)
    if request.output == "json":
        json.dump([_document(answer) for answer in answers], out, indent=2)
        out.write("\n")
    else:
        out.writelines(f"{visible(line)}\n" for answer in answers for line in _lines(answer))
    return Exit.FINE


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--at {text}: not a time; write it like 2026-01-15T12:00:00Z") from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _lines(answer: RunAnswer) -> Iterator[str]:
    errors = ", ".join(f"{error.source} {error.code}" for error in answer.errors) or "no error that rules know"
    yield f"run {answer.run}: {errors}: {'another run follows' if answer.retries else 'no run follows'}"
    yield from (f"  {_limit(limit)}" for limit in answer.limits)
    yield from (f"  {_memory(more)}" for more in answer.answer.memory)
    yield from (f"  {note}" for note in answer.answer.notes)


def _limit(limit: Limit) -> str:
    return (
        f"{limit.counts}: {limit.used} of {limit.limit} ({limit.source}): {'allowed' if limit.allowed else 'forbidden'}"
    )


def _memory(more: MoreMemory) -> str:
    grows = f"{more.factor:g} times the memory" if more.ladder is None else "memory up to the next step"
    return f"{more.rule}: {grows}"


def _document(answer: RunAnswer) -> dict[str, Any]:
    return {
        "run": answer.run,
        "retries": answer.retries,
        "errors": [{"source": error.source, "code": error.code, "diag": error.diag} for error in answer.errors],
        "limits": [
            {"source": limit.source, "used": limit.used, "limit": limit.limit, "allowed": limit.allowed}
            for limit in answer.limits
        ],
        "memory": [{"rule": more.rule, "factor": more.factor} for more in answer.answer.memory],
        "timeFactor": answer.answer.time_factor,
        "notes": list(answer.answer.notes),
    }
