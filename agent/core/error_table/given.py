"""What rules are matched against: the errors of one failure, and the attributes of its job."""

from dataclasses import dataclass

NULL = "NULL"
"""What upstream reads if a column has no value; as a code it is skipped without a fault."""

Code = int | str | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobError:
    """One error of a failure: which part reported it, its code as it came, and its message."""

    source: str
    code: Code
    diag: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """The attributes of a job. A missing one never matches a field that a rule sets.

    They are compared as they are: the number 10 differs from the text "10".
    """

    architecture: str | None = None
    release: str | None = None
    work_queue: int | str | None = None


def read_code(code: Code) -> int:
    """The code as a number. Raises ValueError for an invalid text, TypeError without a code."""
    return int(code)  # type: ignore[arg-type]  # None raises TypeError, see above
