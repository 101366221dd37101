"""PanDA's scenarios: failure after failure of one file, until no job follows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent.core.error_table.engine import TableOutcome
from agent.core.error_table.files import FAILED, TaskFile, allow_failure, limit_attempts, stop_attempts
from agent.core.error_table.given import NULL, JobError
from agent.core.error_table.memory import JobMemory, TaskMemory, increase
from agent.core.error_table.memory_factor import increase_xtimes
from agent.core.error_table.row import ActionKind, ReadingMode
from tests.cases.adapters.panda_actions import JOB, attempts, task_memory
from tests.cases.adapters.panda_classification import classified
from tests.cases.adapters.panda_rules import asked, effect_words, table_of

Words = Mapping[str, Any]
OTHER_FILES: Mapping[int | None, int] = {0: 99}
"""The other files of the task, so that one with more memory is no reason to raise the task."""


def tell(given: Words, mode: ReadingMode) -> Words:
    """One step for each failure; the last is the one after which no job follows."""
    table = table_of(given)
    task, file = task_memory(given["task"]), TaskFile(dataset=1, file=1, owner=JOB, attempts=attempts(given["file"]))
    ram, steps = given["file"].get("ramCount") or 0, []
    for failure in given["failures"]:
        compensated = int(max(task.ram or 0, ram) * 0.9)
        job = {"minRamCount": compensated, "attemptNr": file.attempts.attempt + 1}
        said = asked(table, given, {"job": job, "errors": [failure]}, mode)
        table = said.table
        effects = [effect_words(one, job) for one in said.effects]
        file, (task, ram) = _with_rules(file, said), _memory(said, task, compensated, ram)
        errors = [JobError(source=failure["source"], code=failure["code"], diag=failure.get("diag", NULL))]
        if classified(given.get("classification_rules"), errors, mode).credits:
            effects.append({"call": "increase_max_failure"})
            (file,) = allow_failure([file], job=JOB)
        file = replace(file, attempts=file.attempts.after(FAILED))
        steps.append(_step(file, compensated, failure, effects, ram))
        if not file.attempts.may_retry:
            break
    return {"steps": steps}


def _with_rules(file: TaskFile, said: TableOutcome) -> TaskFile:
    for effect in said.effects:
        if effect.action is ActionKind.NO_RETRY:
            (file,) = stop_attempts([file]).files
        elif effect.limit is not None:
            (file,) = limit_attempts([file], job=JOB, limit=effect.limit)
    return file


def _memory(said: TableOutcome, task: TaskMemory, compensated: int, ram: int) -> tuple[TaskMemory, int]:
    for effect in said.effects:
        job = JobMemory(ram=compensated, files=(ram,))
        if effect.action is ActionKind.INCREASE_MEMORY:
            grown = increase(task, job, OTHER_FILES)
        elif effect.action is ActionKind.INCREASE_MEMORY_XTIMES:
            grown = increase_xtimes(task, job, OTHER_FILES)
        else:
            continue
        task, ram = replace(task, ram=grown.task), grown.files[0] or 0
    return task, ram


def _step(file: TaskFile, compensated: int, failure: Words, effects: list[Words], ram: int) -> Words:
    counters = file.attempts
    return {
        "attempt": counters.attempt,
        "job_minRamCount": compensated,
        "error": failure,
        "effects": effects,
        "file_after": {
            "attemptNr": counters.attempt,
            "maxAttempt": counters.max_attempt,
            "failedAttempt": counters.failed,
            "maxFailure": counters.max_failure,
            "ramCount": ram,
        },
        "retry": counters.may_retry,
    }
