"""Attempts, kept for each input file of a task, and what rules do to them.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/db_proxy_mods/misc_standalone_module.py, setMaxAttempt, setNoRetry.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

FAILED = "failed"
"""The job status that counts as a failure; every end counts as an attempt."""

RUNNING = "running"
READY = "ready"

INPUT_TYPES = frozenset({"input", "pseudo_input", "pp_input", "trn_log", "trn_output"})
_NOT_AN_INPUT = "DBRelease"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """The counters of a file. ``attempt`` counts from 0; a limit of ``None`` is no limit."""

    attempt: int = 0
    max_attempt: int | None = None
    failed: int = 0
    max_failure: int | None = None

    def after(self, job_status: str) -> "Attempts":
        """The counters after a job of the file ended."""
        return replace(self, attempt=self.attempt + 1, failed=self.failed + (job_status == FAILED))

    @property
    def may_retry(self) -> bool:
        """Whether another job follows: fewer attempts than allowed, and fewer failures."""
        if self.max_attempt is None or self.max_attempt <= self.attempt:
            return False
        return self.max_failure is None or self.max_failure > self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFile:
    """A file of a task. ``owner`` is the job that has it now; ``tracked`` is upstream's ``keepTrack``."""

    dataset: int
    file: int
    owner: int | None = None
    attempts: Attempts = Attempts()
    status: str = RUNNING
    tracked: bool = True
    type: str = "input"
    name: str = ""

    @property
    def counts(self) -> bool:
        """Whether rules look at it: an input that is not a database release."""
        return self.type in INPUT_TYPES and _NOT_AN_INPUT not in self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The files after ``no_retry``; ``failed`` are the files of each dataset to be counted as used and failed."""

    files: tuple[TaskFile, ...]
    failed: Mapping[int, int]


def limit_attempts(files: Sequence[TaskFile], *, job: int, limit: int) -> tuple[TaskFile, ...]:
    """``limit_retry``: if the lowest limit of the job's files is higher, all of them get this one; it only lowers.

    Files without a limit get one together with the others, and stay without if no file has one.
    """
    owned = _owned(files, job)
    known = [file.attempts.max_attempt for file in owned if file.attempts.max_attempt is not None]
    lowest = min(known, default=0)
    if not lowest or lowest <= limit:
        return tuple(files)
    lowered = {id(file) for file in owned}  # by identity: two files may be equal
    return tuple(_with_limit(file, limit) if id(file) in lowered else file for file in files)


def stop_attempts(files: Sequence[TaskFile]) -> Stopped:
    """``no_retry``: no further attempt. The current owner of the files is not checked, as in upstream."""
    stopped = {id(file) for file in files if _may_be_stopped(file)}
    failed = Counter(file.dataset for file in files if id(file) in stopped and file.status == READY)
    after = (_with_limit(file, file.attempts.attempt) if id(file) in stopped else file for file in files)
    return Stopped(files=tuple(after), failed=failed)


def allow_failure(files: Sequence[TaskFile], *, job: int) -> tuple[TaskFile, ...]:
    """A failure caused by the system: one more is allowed; no effect on a file without a limit of failures."""
    credited = {id(file) for file in _owned(files, job)}
    return tuple(_with_failure(file) if id(file) in credited else file for file in files)


def _owned(files: Iterable[TaskFile], job: int) -> list[TaskFile]:
    return [file for file in files if file.counts and file.owner == job]


def _may_be_stopped(file: TaskFile) -> bool:
    return file.counts and file.tracked and file.status in (RUNNING, READY) and file.attempts.may_retry


def _with_limit(file: TaskFile, limit: int) -> TaskFile:
    return replace(file, attempts=replace(file.attempts, max_attempt=limit))


def _with_failure(file: TaskFile) -> TaskFile:
    known = file.attempts.max_failure
    return file if known is None else replace(file, attempts=replace(file.attempts, max_failure=known + 1))
