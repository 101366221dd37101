"""A failure in words: the same sentences that ``failctl explain`` prints."""

from typing import Any

from pydantic import Field

from agent.core.classify.advised import advised
from agent.core.evidence import OWN_JOB
from agent.core.failure import Failure
from agent.core.failure_text.admission import conditions
from agent.core.failure_text.category import in_words
from agent.core.failure_text.contradiction import contradictions
from agent.core.failure_text.deciding import deciding, last_words, others
from agent.core.failure_text.ending import limit_in_words
from agent.core.failure_text.fault import fault, whose
from agent.core.failure_text.grade import known
from agent.core.failure_text.step import step
from agent.core.failure_text.successor import successor
from agent.lookout.query.shapes import Shape


class Answer(Shape):
    """Why a run failed, whose fault that is and what can be done, as sentences. What there is not is empty."""

    category_in_words: str
    fault: str = Field(description="The job, the node, the platform, or not known; `likely` if nothing confirms it.")
    deciding: str = Field(description="What decided the category.")
    trust: str = Field(description="Who wrote the text in it: system, or user text.")
    last_words: str = Field(description="What the container wrote last, unless that decided.")
    others: str = Field(description="Which other containers failed.")
    whose: str = Field(description="Whether the container that failed was submitted, if that helps.")
    limit: str = Field(description="The limit that was reached, its value, and what was used.")
    grade: str = Field(description="How well the advice is known, and why.")
    advised: str | None = Field(description="What is advised in effect.")
    step: str = Field(description="What can be done.")
    follows: str = Field(description="Who starts the pod again; empty for a submitted job, which its scheduler starts.")
    contradictions: list[str] = Field(description="What of the evidence does not fit together.")
    conditions: list[str] = Field(description="What pod conditions say to the Job controller.")


def answer_of(failure: Failure) -> dict[str, Any]:
    """A failure in words, as JSON has it."""
    found, decided = failure.classification, deciding(failure)
    advice = advised(found)
    return Answer.of(
        {
            "category_in_words": in_words(failure),
            "fault": fault(found),
            "deciding": decided.sentence,
            "trust": decided.trust.value,
            "last_words": last_words(failure),
            "others": others(failure),
            "whose": whose(failure),
            "limit": limit_in_words(failure),
            "grade": known(found),
            "advised": None if advice is None else advice.value,
            "step": step(failure),
            "follows": _follows(failure),
            "contradictions": list(contradictions(failure)),
            "conditions": list(conditions(failure)),
        }
    )


def _follows(failure: Failure) -> str:
    return "" if (failure.pod.controller or "").startswith(OWN_JOB) else successor(failure)
