"""Less input for each job of a task: ``reduce_input_per_job``.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/db_proxy_mods/task_event_module.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from agent.core.error_table.parameters import steps_of
from agent.core.error_table.split_rule import TAGS, value, with_value

_EXCLUDED = ("nEventsPerJob", "nFilesPerJob")
_GIGABYTES, _FILES, _INITIAL = TAGS["nGBPerJob"], TAGS["nMaxFilesPerJob"], TAGS["retryModuleRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobInput:
    """The failed job: its attempt from 1, its input files and their size in GiB, rounded up; ``None`` is unknown."""

    attempt: int | None
    files: int | None
    gigabytes: int | None
    has_task: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """The task's split rule after the action. ``failure`` says why nothing could be computed."""

    split_rule: str | None
    applied: bool
    why: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    gigabytes: int | None
    files: int | None


def reduce_input(
    split_rule: str | None, job: JobInput, *, steps: str | None = None, excluded_rules: str | None = None
) -> Reduced:
    """Half of the original input of jobs, then a quarter, then one, by the number of the attempt; never below 1.

    The original input is kept in the task's split rule.
    """
    try:
        low, middle, high = steps_of(steps)
        excluded = next(_excluded(split_rule, excluded_rules), "") if _asks(job, low) else ""
    except ValueError as error:
        return Reduced(split_rule=split_rule, applied=False, failure=str(error))
    if not _asks(job, low) or excluded:
        why = f"the task uses {excluded}" if excluded else "no task, or not enough attempts"
        return Reduced(split_rule=split_rule, applied=False, why=why)
    divisor = 2 if (job.attempt or 0) < middle else 4 if (job.attempt or 0) < high else None
    try:
        return _reduced(split_rule, job, divisor)
    except ValueError as error:
        return Reduced(split_rule=split_rule, applied=False, failure=str(error))


def _asks(job: JobInput, low: int) -> bool:
    return job.has_task and job.attempt is not None and job.attempt >= low


def _excluded(split_rule: str | None, names: str | None) -> Iterator[str]:
    """The task rules that exclude it. Raises ValueError for an unknown rule name."""
    for name in names.split(",") if names else _EXCLUDED:
        if name not in TAGS:
            raise ValueError(f"no rule is called {name}")
        if value(split_rule, TAGS[name]):
            yield name


def _reduced(split_rule: str | None, job: JobInput, divisor: int | None) -> Reduced:
    kept = value(split_rule, _INITIAL)
    now = _Sizes(gigabytes=_number(value(split_rule, _GIGABYTES)), files=_number(value(split_rule, _FILES)))
    first = _Sizes(
        gigabytes=_number(value(kept, _GIGABYTES, within=True)), files=_number(value(kept, _FILES, within=True))
    )
    gigabytes = first.gigabytes or now.gigabytes or job.gigabytes
    files = first.files or now.files or job.files
    if gigabytes is None or files is None:
        return Reduced(split_rule=split_rule, applied=False, why="the size of the job is not known")
    after = split_rule
    if not first.gigabytes or not first.files:  # 0 counts as not set, as upstream
        initial = with_value(kept, _GIGABYTES, gigabytes, within=True)
        after = with_value(after, _INITIAL, with_value(initial, _FILES, files, within=True))
    for tag, size, known in ((_GIGABYTES, gigabytes, now.gigabytes), (_FILES, files, now.files)):
        wanted = 1 if divisor is None else max(1, size // divisor)
        after = after if wanted == known else with_value(after, tag, wanted)
    return Reduced(split_rule=after, applied=after != split_rule)


def _number(text: str | None) -> int | None:
    return None if text is None or not text else int(text)
