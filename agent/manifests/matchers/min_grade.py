"""How ``minGrade`` is written: a grade."""

from typing import Annotated

from pydantic import Strict

from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.failure import Grade
from agent.manifests.matchers.written import Written


def compile_min_grade(least: Grade) -> MinGrade:
    return MinGrade(least=least)


OnMinGrade = Annotated[Annotated[Grade, Strict(False)] | None, Written(matcher=MinGrade, compile=compile_min_grade)]
"""``minGrade``: how well the advice is known, at least."""
