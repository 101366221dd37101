"""A series of failures of one job: the error table is applied to each, as long as another run follows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.given import Attributes, JobError
from agent.core.history import MostRuns
from agent.core.limit import Limit, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The errors of each failure, the attributes of the job, and the job's own limit on runs."""

    failures: tuple[tuple[JobError, ...], ...]
    attributes: Attributes
    max_attempt: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """The answer after one run: every limit, the job's own first, and whether another run follows."""

    run: int
    errors: tuple[JobError, ...]
    limits: tuple[Limit, ...]
    answer: TableAnswer

    @property
    def retries(self) -> bool:
        """Whether no limit forbids another run."""
        return all(limit.allowed for limit in self.limits)


def play(course: Course, error_rules: ErrorRules, *, now: datetime) -> Iterator[RunAnswer]:
    """Yield the result after each run, up to the first run without a successor."""
    most_runs: MostRuns | None = None
    for run, errors in enumerate(course.failures, start=1):
        asked = TableQuery(errors=errors, attributes=course.attributes, runs=run, most_runs=most_runs)
        answer = ask_table(error_rules, asked, now=now)
        answered = RunAnswer(run=run, errors=errors, limits=(*_own(course, run), *answer.limits), answer=answer)
        yield answered
        if not answered.retries:
            return
        most_runs, error_rules = answer.most_runs, answer.error_rules or error_rules


def _own(course: Course, run: int) -> Sequence[Limit]:
    most = course.max_attempt
    if most is None:
        return ()
    return (Limit("runs made", run, most, "maxAttempt of the job", Reason.LEGACY_LIMIT, run < most),)
