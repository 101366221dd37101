"""More memory for a task or for the files of one job: ``increase_memory``.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/db_proxy_mods/task_event_module.py, increaseRamLimitJobJEDI.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PER_CORE = frozenset({"MBPerCore", "MBPerCoreFixed"})
FIXED = "MBPerCoreFixed"
PER_JOB = frozenset({"MB", None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """How memory grows, in MB. ``compensation`` is the share of its estimate that a job is submitted with.

    If the share of a task's files that got more exceeds ``threshold``, the task gets more.
    """

    steps: tuple[int, ...] = (1000, 2000, 3000, 4000, 6000, 8000)
    compensation: float = 0.9
    threshold: float = 0.3

    def above(self, size: float) -> int:
        """The first step above, else the last."""
        return next((step for step in self.steps if size < step), self.steps[-1])


UPSTREAM = Ladder()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMemory:
    """What a task requests: MB, or MB per core, and what each job needs in addition."""

    ram: int | None = None
    unit: str | None = "MB"
    base: int | None = 0
    split_rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMemory:
    """What the failed job had, in MB; ``None`` if not known. ``files`` are the requests of its files."""

    ram: int | None = None
    unit: str | None = "MB"
    cores: int | None = 1
    files: tuple[int | None, ...] = ()
    has_task: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """The requests after the action. ``failure`` says why they could not be computed; upstream hides it.

    ``resets_resource_type``: the task grew, and may have another resource type now.
    """

    task: int | None
    files: tuple[int | None, ...]
    resets_resource_type: bool = False
    failure: str = ""


def increase(task: TaskMemory, job: JobMemory, others: Mapping[int | None, int], *, by: Ladder = UPSTREAM) -> Grown:
    """Give the job's files the next step; if too many files of the task already had more, give the task more.

    ``others`` counts the other files of the task by their request.
    """
    if not job.has_task:
        return unchanged(task, job)
    share = Share.of(task, job, others)
    if task.ram is None or share is None:
        return unchanged(task, job, failure="the memory of the task, or of one of its files, is not known")
    had = _normalised(task, job, by)
    if task.unit != FIXED and share.above > by.threshold:
        least = max(had, 0)
        least = share.most - 1 if share.most > least else least
        if least:
            return raise_task(task, job, least=least, by=by)
    following = by.above(had)
    if had >= by.steps[-1] or task.ram > following:
        return unchanged(task, job)
    return Grown(task=task.ram, files=raised(job.files, following))


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The share of a task's files that request more than the task, and the largest request."""

    above: float
    most: int

    @classmethod
    def of(cls, task: TaskMemory, job: JobMemory, others: Mapping[int | None, int]) -> "Share | None":
        """Count the job's files and the others; ``None`` if there are none or one is not known."""
        counts = Counter(job.files)
        counts.update(others)
        known = {size: count for size, count in counts.items() if size is not None and count}
        if task.ram is None or not known or counts[None]:
            return None
        above = sum(count for size, count in known.items() if size > task.ram)
        return cls(above=above / sum(known.values()), most=max(known))


def raise_task(task: TaskMemory, job: JobMemory, *, least: float, by: Ladder, capped: bool = True) -> Grown:
    """Give the task the first step above its memory and the minimum; beyond the last step only if uncapped."""
    had = task.ram or 0
    if had > least or (capped and had >= by.steps[-1]):
        return unchanged(task, job)
    limit = max(had, least)
    following: float = by.above(limit)
    if limit > following and not capped:
        following = limit
    return Grown(task=rounded(following), files=job.files, resets_resource_type=True)


def raised(files: Sequence[int | None], size: int) -> tuple[int | None, ...]:
    """Raise the files with a lower request to this one; a file without a request keeps none."""
    return tuple(size if request is not None and request < size else request for request in files)


def unchanged(task: TaskMemory, job: JobMemory, *, failure: str = "") -> Grown:
    return Grown(task=task.ram, files=job.files, failure=failure)


def decompensated(ram: int, by: Ladder) -> int:
    """The estimate of a job, without the compensation that its request has."""
    return int(ram / by.compensation)


def rounded(size: float) -> int:
    """Rounded for an integer column: the nearest number, half up."""
    return int(size + 0.5)


def _normalised(task: TaskMemory, job: JobMemory, by: Ladder) -> float:
    """What the job had in the task's unit, without the base; 0 if not known."""
    if job.ram is None:
        return 0
    size = float(decompensated(job.ram, by) - (task.base or 0))
    return size / (job.cores or 1) if task.unit in PER_CORE and job.unit in PER_JOB else size
