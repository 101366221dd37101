"""Tries rules on stored failures: what they would be called, had these rules been in force.

The answer is that of the rules to the evidence that is stored: bounded, redacted, and without the ends of logs that
were dropped. What an agent found itself, such as a pod that was never created, no rule decides, so it is not tried.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from msgspec.structs import replace
from pydantic import Field
from sqlalchemy import select

from agent.core.classify.classifier import Classifier
from agent.core.evidence import Evidence
from agent.core.failure import Classification, Failure
from agent.core.failure_text.category import leaf
from agent.core.failure_text.deciding import deciding
from agent.core.summary.internal import INTERNAL_CATEGORY
from agent.lookout.query.cursor import After
from agent.lookout.query.ids import is_among
from agent.lookout.query.question import Question
from agent.lookout.query.reader import Reading
from agent.lookout.query.refusal import TooSlow
from agent.lookout.query.run_rows import LATEST_LAST
from agent.lookout.query.run_scan import run_scan
from agent.lookout.query.shapes import Shape
from agent.lookout.query.text_search import check_searchable
from agent.lookout.store.failures import whole
from agent.lookout.store.tables import failure_table, log_table, run_table

MOST: Final = 10_000
"""Failures of one trial."""

USUAL: Final = 1_000
SECONDS: Final = 5.0
"""How long a trial may take: it shares the processor with what stores new failures."""

EXAMPLES: Final = 50
_AT_ONCE: Final = 100
"""Failures in memory: one may have 64 KiB of logs."""


class Stopped(StrEnum):
    """Why not all failures that fit the filter were tried."""

    NUMBER = "number"
    TIME = "time"


class TriedAnswer(Shape):
    """What rules say of a failure."""

    category: str = Field(description="CATEGORY/SUBCATEGORY.")
    origin: str
    advice: str | None
    deciding: str = Field(description="What decided, as a sentence.")


class ChangedFailure(Shape):
    """A failure that the tried rules call something else."""

    run_id: str
    failure_id: str
    occurred_at: datetime
    before: TriedAnswer
    after: TriedAnswer


class CategoryCount(Shape):
    """How many of the tried failures have a category."""

    category: str
    before: int
    after: int


class TrialResult(Shape):
    """What rules would have said."""

    tried: int = Field(description="On how many failures they were tried, the latest first.")
    stopped: Stopped | None = Field(description="Why not on all that fit the filter; null if on all of them.")
    earliest: datetime | None = Field(description="When the earliest of the tried failures happened.")
    without_logs: int = Field(description="How many of them have no ends of logs, by which rules may decide.")
    timed_out: int = Field(
        description="For how many of them a pattern with `engine: backtracking` took too long, so that what it would "
        "have found is not known."
    )
    not_by_rules: int = Field(description="How many were left out, because the agent itself found what they are.")
    changed: int = Field(description="How many would have another category, origin or advice.")
    counts: list[CategoryCount]
    examples: list[ChangedFailure] = Field(description=f"The first {EXAMPLES} that changed.")


_NUMBERS: Final = ("tried", "without_logs", "timed_out", "not_by_rules", "changed")


@dataclass(slots=True)
class Tally:
    """What was found so far."""

    tried: int = 0
    without_logs: int = 0
    timed_out: int = 0
    not_by_rules: int = 0
    changed: int = 0
    earliest: datetime | None = None
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def looked_at(self) -> int:
        """How many failures, whether tried or left out."""
        return self.tried + self.not_by_rules

    def result(self, stopped: Stopped | None) -> dict[str, Any]:
        names = sorted({*self.before, *self.after}, key=lambda name: (-self.after[name], name))
        counts = [
            CategoryCount.of({"category": name, "before": self.before[name], "after": self.after[name]})
            for name in names
        ]
        return TrialResult.of(
            {
                **{name: getattr(self, name) for name in _NUMBERS},
                "stopped": stopped,
                "earliest": self.earliest,
                "counts": counts,
                "examples": self.examples,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored failure, and where it belongs."""

    run_id: str
    event_id: str
    occurred_at: datetime
    failure: Failure


def try_rules(
    classifier: Classifier, reading: Reading, question: Question, *, most: int, is_over: Callable[[], bool]
) -> dict[str, Any]:
    """Classify the failures that are asked for again, the latest first, until there are ``most`` or time is over.

    Raises TooSlow if the database has not found the first of them before its time is over.
    """
    tally = Tally()
    try:
        for stored in _stored(reading, question):
            if tally.looked_at >= most:
                return tally.result(Stopped.NUMBER)
            if is_over():
                return tally.result(Stopped.TIME)
            _try(classifier, stored, tally)
    except TooSlow:
        if not tally.looked_at:
            raise
        return tally.result(Stopped.TIME)
    return tally.result(None)


def evidence_of(failure: Failure) -> Evidence:
    """The evidence that is stored of a failure, as classification looks at it."""
    return Evidence(
        pod=failure.pod,
        pod_error=failure.pod_error,
        events=failure.events,
        node=failure.node,
        log_tails=failure.log_tails,
        missing=failure.missing,
    )


def _try(classifier: Classifier, stored: Stored, tally: Tally) -> None:
    failure = stored.failure
    if failure.overruled is not None or failure.classification.category == INTERNAL_CATEGORY:
        tally.not_by_rules += 1
        return
    given = classifier.classify(evidence_of(failure))
    before, after = failure.classification, given
    tally.tried += 1
    tally.without_logs += not failure.log_tails
    tally.timed_out += bool(given.timed_out)
    tally.earliest = min(tally.earliest or stored.occurred_at, stored.occurred_at)
    tally.before[leaf(before.category, before.subcategory)] += 1
    tally.after[leaf(after.category, after.subcategory)] += 1
    if _said(before) == _said(after):
        return
    tally.changed += 1
    if len(tally.examples) < EXAMPLES:
        tally.examples.append(
            ChangedFailure.of(
                {
                    "run_id": stored.run_id,
                    "failure_id": stored.event_id,
                    "occurred_at": stored.occurred_at,
                    "before": _answer(failure),
                    "after": _answer(replace(failure, classification=after)),
                }
            )
        )


def _said(given: Classification) -> tuple[object, ...]:
    return given.category, given.subcategory, given.origin, given.advice


def _answer(failure: Failure) -> dict[str, Any]:
    given = failure.classification
    return TriedAnswer.of(
        {
            "category": leaf(given.category, given.subcategory),
            "origin": given.origin.value,
            "advice": None if given.advice is None else given.advice.value,
            "deciding": deciding(failure).sentence,
        }
    )


def _stored(reading: Reading, question: Question) -> Iterator[Stored]:
    """The failures that are asked for, each as what says why a run failed, some at a time."""
    check_searchable(reading, question.conditions)
    scan, after = run_scan(question, reading.dialect), question.after
    while places := scan.page(reading, limit=_AT_ONCE, after=after):
        shown = places[:_AT_ONCE]
        yield from _read(reading, [str(place[-1]) for place in shown])
        if len(places) <= _AT_ONCE:
            return
        after = After(shown[-1], question.asked_at)


def _read(reading: Reading, run_ids: Sequence[str]) -> Iterator[Stored]:
    """What says why each of these runs failed, with the evidence that came last."""
    table = failure_table
    reason = run_table.c.failure_id
    query = (
        select(table.c.run_id, table.c.event_id, table.c.occurred_at, table.c.info, log_table.c.tails)
        .join(run_table, run_table.c.run_id == table.c.run_id)
        .outerjoin(log_table, log_table.c.event_id == table.c.event_id)
        .where(is_among(table.c.run_id, "run_ids", reading.dialect))
        .where((table.c.event_id == reason) | (table.c.amends == reason))
        .order_by(*LATEST_LAST)
    )
    latest = {row["run_id"]: row for row in reading.rows(query, run_ids=run_ids)}
    for run_id in run_ids:
        if (row := latest.get(run_id)) is not None:
            failure = whole(row)
            yield Stored(run_id=run_id, event_id=row["event_id"], occurred_at=row["occurred_at"], failure=failure)
