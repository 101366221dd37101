"""CPU time of a task from a job that failed: ``increase_cputime``.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/db_proxy_mods/misc_standalone_module.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.error_table.row import ReadingMode

UNIT = "HS06sPerEvent"
MILLI = "mHS06sPerEvent"
FACTOR = 1.5
"""By how much the time grows, as documented; upstream's code has 1.1 more, for the efficiency of the site."""

SITE_MARGIN = 1.1
_LEAST_WHOLE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where the job ran; a part that is not known is ``None``."""

    max_time: float | None = None
    core_power: float | None = None
    cores: int | None = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTime:
    """The task: its CPU time per event and the unit of it, its setup time in seconds, its efficiency in percent."""

    cpu_time: float | None = None
    unit: str | None = None
    base_wall_time: float | None = None
    efficiency: float | None = None
    has_finished_jobs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEvents:
    """The events of one input file."""

    count: int | None = None
    start: int | None = None
    end: int | None = None

    @property
    def number(self) -> int:
        """From start to end where both are set, else the count."""
        return self.end - self.start if self.start and self.end else self.count or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedJob:
    """The job: how long it ran in seconds, on how many cores, over which files."""

    wall_time: float | None = None
    cores: int | None = None
    files: tuple[FileEvents, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCpuTime:
    """CPU time per event, as it is stored: a whole number of its unit."""

    value: int
    unit: str


def new_cpu_time(
    task: TaskTime | None, job: TimedJob, site: Site | None, *, mode: ReadingMode = ReadingMode.STRICT
) -> NewCpuTime | None:
    """The new CPU time of the task; ``None`` if it stays and a recalculation is requested instead.

    Raises TypeError for an unknown site, which the table counts as a failure of the first stage. In compatible mode a
    job shorter than the setup gives a negative time; strict mode does not change the task.
    """
    if task is not None and task.has_finished_jobs:
        return None
    if site is None:
        raise TypeError("the site is not known")
    events = _number_of(job.files)
    known = site.max_time and site.core_power and site.cores
    if not known or task is None or not task.efficiency or not task.base_wall_time:
        return None
    if not events or job.wall_time is None:
        return None
    lasted = job.wall_time - task.base_wall_time
    if mode is ReadingMode.STRICT and lasted <= 0:
        return None
    work = lasted * (site.core_power or 0) * (job.cores or 1) * SITE_MARGIN
    return _stored(work / (task.efficiency / 100.0) / events * FACTOR, task)


def _number_of(files: Sequence[FileEvents]) -> int:
    return sum(file.number for file in files)


def _stored(wanted: float, task: TaskTime) -> NewCpuTime | None:
    old = _normalised(task)
    if old is not None and old > wanted:  # the time only grows
        return None
    small = bool(wanted) and wanted < _LEAST_WHOLE
    return NewCpuTime(value=int(wanted * 1000 if small else wanted), unit=MILLI if small else UNIT)


def _normalised(task: TaskTime) -> float | None:
    """The old time in the unit without prefix; an unknown unit counts as no prefix."""
    if task.cpu_time is None or task.unit not in (UNIT, MILLI):
        return None
    return task.cpu_time if task.unit == UNIT else task.cpu_time / 1000
