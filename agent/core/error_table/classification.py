"""The error classification: which errors are not attributed to the user.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/retryModule.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.classify.search import SearchFactory
from agent.core.error_table.diag import Answer, compile_diag
from agent.core.error_table.given import JobError
from agent.core.error_table.outcome import RuleFault
from agent.core.error_table.row import ACTIVE, ClassificationRow, ReadingMode

SYSTEM = "system"
"""The only class with an effect: its failures do not count toward ``maxFailure``."""

UNKNOWN = "unknown"
"""The class of a failure that no row matches."""

SOURCES = ("pilotError", "exeError", "supError", "ddmError", "brokerageError", "jobDispatcherError", "taskBufferError")
"""The sources that are classified, in order; each with ``Code`` and ``Diag``. ``transExitCode`` is not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """The result. ``row`` is the one that matched; ``would_have`` an inactive row that would have matched.

    ``credits`` allows one more failure before ``maxFailure`` ends the job.
    """

    row: ClassificationRow | None = None
    would_have: ClassificationRow | None = None
    faults: tuple[RuleFault, ...] = ()

    @property
    def error_class(self) -> str:
        """The class, ``unknown`` if no row matched."""
        return UNKNOWN if self.row is None else self.row.error_class

    @property
    def credits(self) -> bool:
        """Whether the row is active and of exactly the class ``system``."""
        return self.row is not None and self.row.active == ACTIVE and self.row.error_class == SYSTEM


def classify(
    rows: Sequence[ClassificationRow],
    errors: Sequence[JobError],
    *,
    mode: ReadingMode = ReadingMode.STRICT,
    searches: SearchFactory | None = None,
) -> Classified:
    """The row for the first error that matches one: in strict mode the lowest active one, else the first in the table.

    In strict mode an inactive row is the result only if no active row matches any error.
    """
    if mode is ReadingMode.COMPATIBLE:
        return _first(rows, errors, searches)
    ordered = sorted(rows, key=lambda row: (row.identity, repr(row)))
    every = _first(ordered, errors, searches)
    if every.row is None or every.row.active == ACTIVE:
        return every
    live = _first([row for row in ordered if row.active == ACTIVE], errors, searches)
    if live.row is None:
        return every
    return Classified(row=live.row, would_have=every.row, faults=every.faults)


def _first(rows: Sequence[ClassificationRow], errors: Sequence[JobError], searches: SearchFactory | None) -> Classified:
    faults: list[RuleFault] = []
    for error in errors:
        for row in rows:
            if not _is_of(row, error):
                continue
            answer = compile_diag(row.diag, searches).ask(error.diag)
            if answer is Answer.YES:
                return Classified(row=row, faults=tuple(faults))
            if answer in (Answer.BAD, Answer.TIMED_OUT):
                faults.append(RuleFault.BAD_REGEXP if answer is Answer.BAD else RuleFault.DIAG_TIMED_OUT)
    return Classified(faults=tuple(faults))


def _is_of(row: ClassificationRow, error: JobError) -> bool:
    """Every column must be set; codes are compared as they are."""
    return bool(row.source and row.code and row.diag) and row.source == error.source and row.code == error.code
