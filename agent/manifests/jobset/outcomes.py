"""Outcomes of pods for ``failctl jobset simulate``: as for a Job, and which Job the pod belongs to."""

from typing import Annotated

from pydantic import Field

from agent.core.jobset.simulated import JobSetOutcome
from agent.documents.checked import Checked, check_text, with_faults
from agent.documents.node import Node
from agent.documents.shape import Shape, check
from agent.documents.source import Source
from agent.manifests.job.conditions import conditions_of_outcomes
from agent.manifests.job.outcomes import OutcomeShape, compile_outcome


class JobSetOutcomeShape(OutcomeShape):
    """One outcome, repeated ``times`` times. Without a named Job it applies to the first Job that has such a pod."""

    replicatedJob: str | None = None
    jobIndex: Annotated[int, Field(ge=0)] | None = None


class JobSetOutcomesShape(Shape):
    outcomes: list[JobSetOutcomeShape]


def load_jobset_outcomes(text: str | bytes, *, file: str) -> tuple[JobSetOutcome, ...]:
    """Return the outcomes of a file. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_jobset_outcomes, file=file).value_or_raise()


def check_jobset_outcomes(root: Node, source: Source) -> Checked[tuple[JobSetOutcome, ...]]:
    shape = check(JobSetOutcomesShape, root)
    faults = [*shape.faults, *conditions_of_outcomes(root)]
    if shape.value is None or faults:
        return with_faults(faults, source)
    outcomes = tuple(
        JobSetOutcome(pod=compile_outcome(outcome), replicated_job=outcome.replicatedJob, job_index=outcome.jobIndex)
        for outcome in shape.value.outcomes
        for _ in range(outcome.times)
    )
    return Checked(value=outcomes, problems=())
