"""Outcomes of pods for ``failctl job simulate``: how each pod ends, as people write it."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field, Strict

from agent.core.failure import NO_CATEGORY, Grade, Origin
from agent.core.job.outcome import PodEnding
from agent.documents.checked import Checked, check_text, with_faults
from agent.documents.node import Node, find
from agent.documents.shape import Shape, check
from agent.documents.source import Source
from agent.manifests.fields import Duration
from agent.manifests.job.conditions import conditions_of_outcomes
from agent.manifests.matchers.facts import Signal


class OutcomeShape(Shape):
    """One outcome, repeated ``times`` times."""

    index: Annotated[int, Field(ge=0)] | None = None
    every: bool = False
    exitCode: int = 0
    container: str = "main"
    conditions: list[str] | None = None
    after: Duration | None = None
    reason: str = ""
    message: str = ""
    signal: Signal | None = None
    category: str = NO_CATEGORY
    origin: Annotated[Origin, Strict(False)] = Origin.UNKNOWN
    grade: Annotated[Grade, Strict(False)] | None = None
    times: Annotated[int, Field(ge=1, le=100_000)] = 1


class OutcomesShape(Shape):
    outcomes: list[OutcomeShape]


def load_outcomes(text: str | bytes, *, file: str) -> tuple[PodEnding, ...]:
    """Return the outcomes of a file. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_outcomes, file=file).value_or_raise()


def is_outcomes(root: Node) -> bool:
    """Return whether a document looks like outcomes of pods."""
    return find(root, ("outcomes",)) is not None


def check_outcomes(root: Node, source: Source) -> Checked[tuple[PodEnding, ...]]:
    shape = check(OutcomesShape, root)
    faults = [*shape.faults, *conditions_of_outcomes(root)]
    if shape.value is None or faults:
        return with_faults(faults, source)
    outcomes = tuple(compile_outcome(outcome) for outcome in shape.value.outcomes for _ in range(outcome.times))
    return Checked(value=outcomes, problems=())


def compile_outcome(shape: OutcomeShape) -> PodEnding:
    """Return the outcome that a shape without faults stands for."""
    return PodEnding(
        index=shape.index,
        every=shape.every,
        exit_code=shape.exitCode,
        container=shape.container,
        conditions=tuple(shape.conditions or ()),
        after=shape.after or timedelta(0),
        reason=shape.reason,
        message=shape.message,
        signal=shape.signal,
        category=shape.category,
        origin=shape.origin,
        grade=shape.grade,
    )
