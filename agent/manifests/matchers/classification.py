"""How matchers of a classification are written: its category, origin, grade, and whether it is corroborated."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Strict

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.corroborated import Corroborated
from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.failure import Grade, Origin
from agent.manifests.fields import Name
from agent.manifests.matchers.written import Written


def compile_failure_category(names: Sequence[str]) -> FailureCategory:
    return FailureCategory(names=tuple(names))


def compile_category(name: str) -> Category:
    return Category(category=name)


OnFailureCategory = Annotated[
    list[Name] | None, Written(matcher=FailureCategory, compile=compile_failure_category, is_list=True)
]

# ``onSubcategory`` narrows it, and is no matcher.
OnCategory = Annotated[Name | None, Written(matcher=Category, compile=compile_category)]


def compile_origin(origins: Sequence[Origin]) -> FailureOrigin:
    return FailureOrigin(origins=tuple(origins))


OnOrigin = Annotated[
    list[Annotated[Origin, Strict(False)]] | None,
    Written(matcher=FailureOrigin, compile=compile_origin, is_list=True),
]


def compile_min_grade(least: Grade) -> MinGrade:
    return MinGrade(least=least)


OnMinGrade = Annotated[Annotated[Grade, Strict(False)] | None, Written(matcher=MinGrade, compile=compile_min_grade)]
"""``minGrade``: how well the advice is known, at least."""


def compile_corroborated(value: bool) -> Corroborated:  # noqa: FBT001 - the value itself
    return Corroborated(value=value)


OnCorroborated = Annotated[bool | None, Written(matcher=Corroborated, compile=compile_corroborated)]
