"""Jobs that are asked for, by their own columns and by those of their runs.

All conditions on runs are about one run of the job. Of a job that still failed, or waits, it is the latest one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, Select, and_, case, func, literal, or_, select, tuple_

from agent.core.limit import VerdictAction
from agent.lookout.query.columns import Operator, Place
from agent.lookout.query.conditions import Condition
from agent.lookout.query.predicates import hidden, predicate
from agent.lookout.query.question import Question
from agent.lookout.query.run_scan import RunTests, asks_for_failed, has_failures_in_order, window
from agent.lookout.query.scan import Scan, Test
from agent.lookout.store.tables import JOBS_BY, NAMESPACE, run_table
from agent.lookout.store.tables import job_table as job
from agent.store.records.filters import OBSERVED, JobCondition

_INDEXED: Final = frozenset({*JOBS_BY, "job_id", "first_at", "name", "client_id"})
_RUN: Final = run_table.alias("run")
_LATER: Final = run_table.alias("later")


def job_scan(question: Question, dialect: str) -> Scan:
    """The scan of a question for jobs."""
    keys = [*(job.c[question.of.named(name).field] for name in question.keys), job.c.job_id]
    of_job, of_runs = _divided(question.conditions)
    return Scan(
        keys=keys,
        descending=question.sort.descending,
        by_time=question.sort.column == question.of.time,
        always=[],
        window=window(question, job.c.first_at, []),
        tests=[*map(_job_test, of_job), *of_runs.tests(dialect)],
    )


def job_conditions(conditions: Sequence[Condition]) -> list[ColumnElement[bool]]:
    """The conditions on jobs, for counting all of them."""
    of_job, of_runs = _divided(conditions)
    return [*(predicate(condition, job) for condition in of_job), *of_runs.holds()]


def _divided(conditions: Sequence[Condition]) -> tuple[list[Condition], "_OfRuns"]:
    own = [condition for condition in conditions if condition.column.place is Place.JOB]
    states = [condition for condition in own if _is_observed(condition)]
    of_job = [condition for condition in own if condition not in states]
    of_runs = [condition for condition in conditions if condition.column.place is Place.RUN]
    return of_job, _OfRuns(of_runs, states)


def _is_observed(condition: Condition) -> bool:
    """Whether it is about what agents observed, so about runs. States of both kinds at once are about the job."""
    if condition.column.field != "state" or condition.operator is not Operator.EQUALS:
        return False
    return bool(OBSERVED & {*condition.values})


def _job_test(condition: Condition) -> Test:
    holds = predicate(condition, job)
    field = condition.column.field
    if condition.operator in (Operator.EXISTS, Operator.CONTAINS):
        return Test(holds=holds)
    if field not in _INDEXED:
        return Test(holds=holds, in_orders=field == NAMESPACE)
    in_order = field in JOBS_BY and condition.operator is Operator.EQUALS and len(condition.values) == 1
    return Test(holds=holds, found=holds, rows=select(literal(1)).select_from(job).where(holds), in_order=in_order)


@dataclass(frozen=True, slots=True)
class _OfRuns:
    """Conditions on one run of a job, and those on its state that are about its runs."""

    conditions: Sequence[Condition]
    states: Sequence[Condition]

    def holds(self) -> list[ColumnElement[bool]]:
        """The one condition on a job; none if nothing is asked of its runs."""
        return [_some_run_of_job(fits)] if (fits := self._all()) else []

    def tests(self, dialect: str) -> Iterator[Test]:
        """The condition, which several indexes may answer."""
        fits = self._all()
        if not fits:
            return
        holds = _some_run_of_job(fits)
        tests = RunTests(_RUN, dialect, failed=self._is_failed, time="first_at").of_all(self.conditions)
        indexed = [(test, asked) for test, asked in zip(tests, self.conditions, strict=True) if test.rows is not None]
        for test, asked in indexed:
            candidates = select(_RUN.c.job_id).where(*_shown(test.found))
            yield Test(
                holds=holds,
                found=job.c.job_id.in_(candidates.where(*map(hidden, fits))),
                candidates=job.c.job_id.in_(candidates),
                latest=_latest_of(test, fits) if self._is_of_failures and has_failures_in_order(asked) else None,
                rows=test.rows,
            )
        if {value for state in self.states for value in state.values} == {JobCondition.WAITING.value}:
            yield _waiting(holds, fits)
        elif not indexed:
            yield Test(holds=holds)

    @property
    def _is_of_failures(self) -> bool:
        """Whether rows of runs that failed say all, without the record of the job."""
        return self._is_failed and not self._with_others

    @property
    def _is_failed(self) -> bool:
        return asks_for_failed(self.conditions) or bool(self.states and not self._with_others)

    @property
    def _with_others(self) -> bool:
        """Whether a state of the record is among those of which any fits."""
        return any(value not in OBSERVED for condition in self.states for value in condition.values)

    def _all(self) -> list[ColumnElement[bool]]:
        """What holds for the one run; empty if nothing is asked of it."""
        of_states = [or_(*map(_state, found.values)) for found in self.states]
        failed = [_RUN.c.failed_at.is_not(None)] if self._is_failed else []
        return [*failed, *(predicate(found, _RUN) for found in self.conditions), *of_states]


def _some_run_of_job(fits: Sequence[ColumnElement[bool]]) -> ColumnElement[bool]:
    return _some(_RUN, _RUN.c.job_id == job.c.job_id, *fits)


def _latest_of(test: Test, fits: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """The runs that failed, as an index has those of one value of a column."""
    fitting = case((and_(*fits), 1), else_=0).label("fits")
    runs = select(_RUN.c.job_id.label("own"), _RUN.c.failed_at.label("at"), fitting)
    return runs.where(*_shown(test.found)).order_by(_RUN.c.failed_at.desc())


def _waiting(holds: ColumnElement[bool], fits: Sequence[ColumnElement[bool]]) -> Test:
    """Few jobs wait, and of all runs those that failed are fewer than there are jobs."""
    waiting = select(_RUN.c.job_id).where(*fits)
    return Test(holds=holds, found=job.c.job_id.in_(waiting), rows=waiting)


def _shown(found: ColumnElement[bool] | None) -> list[ColumnElement[bool]]:
    return [] if found is None else [found]


def _some(run: FromClause, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether there is such a run, looked up for one row at a time.

    EXISTS would say the same. Postgres may answer it by reading all runs first, however few rows it is asked for. The
    first condition names the job: by it they are looked up.
    """
    of_job, *others = conditions
    found = select(literal(1)).select_from(run).where(of_job, *map(hidden, others)).limit(1).correlate_except(run)
    return func.coalesce(found.scalar_subquery(), 0) == 1


def _is_latest(run: FromClause) -> ColumnElement[bool]:
    place, later = (tuple_(table.c.first_at, table.c.run_id) for table in (run, _LATER))
    return ~_some(_LATER, _LATER.c.job_id == run.c.job_id, later > place)


def _has_recovered() -> ColumnElement[bool]:
    """Whether the run failed, and the latest succeeded."""
    last = run_table.alias("last")
    succeeded = _some(last, last.c.job_id == _RUN.c.job_id, last.c.state == "succeeded", _is_latest(last))
    return and_(_RUN.c.failed_at.is_not(None), succeeded)


def _ended_badly(*, waits: bool) -> ColumnElement[bool]:
    follows = and_(_RUN.c.verdict == VerdictAction.RETRY.value, _is_submitted())
    return and_(_RUN.c.failed_at.is_not(None), follows if waits else ~follows, _is_latest(_RUN))


def _is_submitted() -> ColumnElement[bool]:
    """Whether somebody submitted the run's job: the scheduler starts no others again."""
    own = job.alias("own")
    return _some(own, own.c.job_id == _RUN.c.job_id, own.c.state.is_not(None))


_OBSERVED: Final[Mapping[str, Callable[[], ColumnElement[bool]]]] = {
    JobCondition.ANY_FAILURE: lambda: _RUN.c.failed_at.is_not(None),
    JobCondition.STILL_FAILED: lambda: _ended_badly(waits=False),
    JobCondition.WAITING: lambda: _ended_badly(waits=True),
    JobCondition.RECOVERED: _has_recovered,
}


@cache
def _state(value: str) -> ColumnElement[bool]:
    """Cached: making one of those that look at other runs takes milliseconds."""
    of_runs = _OBSERVED.get(value)
    return job.c.state == value if of_runs is None else of_runs()
