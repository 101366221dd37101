"""Memory times a factor that the task sets: ``increase_memory_xtimes``.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/db_proxy_mods/task_event_module.py.
"""

from collections.abc import Mapping

from agent.core.error_table.memory import (
    FIXED,
    PER_CORE,
    PER_JOB,
    UPSTREAM,
    Grown,
    JobMemory,
    Ladder,
    Share,
    TaskMemory,
    decompensated,
    raise_task,
    raised,
    rounded,
    unchanged,
)
from agent.core.error_table.row import ReadingMode
from agent.core.error_table.split_rule import last_value

STEP = "RY"
"""The task's split rule with the factor: this value divided by the task's memory."""

MOST = "RZ"
"""The task's split rule that caps the memory of a job. ``RX``, an offset, is read upstream and not used."""


def increase_xtimes(
    task: TaskMemory,
    job: JobMemory,
    others: Mapping[int | None, int],
    *,
    by: Ladder = UPSTREAM,
    mode: ReadingMode = ReadingMode.COMPATIBLE,
    submitted: int | None = None,
) -> Grown:
    """Multiply the memory of the job's files by the factor, without steps and cap; else that of the task.

    Upstream's factor uses the task's current memory, and drops below 1 once the task has grown. Strict mode uses the
    memory that the task was ``submitted`` with, if known.
    """
    if not job.has_task:
        return unchanged(task, job)
    of_task = task.ram if mode is ReadingMode.COMPATIBLE or submitted is None else submitted
    try:
        step, most = _numbers(task.split_rule)
    except ValueError as error:
        return unchanged(task, job, failure=str(error))
    if not task.ram or not of_task or job.ram is None:
        return unchanged(task, job, failure="the memory of the task or of the job is not known")
    cores = job.cores or 1
    had: float = decompensated(job.ram, by)
    if task.unit in PER_CORE and job.unit in PER_JOB:
        had /= cores
    least = had * (step / of_task)
    if most:
        least = min(least, most / cores)
    return _grown(task, job, (had, least), Share.of(task, job, others), by)


def _grown(task: TaskMemory, job: JobMemory, sizes: tuple[float, float], share: Share | None, by: Ladder) -> Grown:
    had, least = sizes
    now = task.ram or 0
    if task.unit != FIXED:
        if share is None:
            return unchanged(task, job, failure="the memory of a file of the task is not known")
        if share.above > by.threshold and least and least > now:
            return raise_task(task, job, least=least, by=by, capped=False)
    if now > least or had >= least:
        return unchanged(task, job)
    return Grown(task=task.ram, files=raised(job.files, rounded(least)))


def _numbers(split_rule: str | None) -> tuple[float, float | None]:
    step, most = last_value(split_rule, STEP), last_value(split_rule, MOST)
    return (1.0 if step is None else float(step)), (None if most is None else float(most))
