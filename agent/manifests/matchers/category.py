"""How ``onFailureCategory`` and ``onCategory`` are written; ``onSubcategory`` narrows the latter and is no matcher."""

from collections.abc import Sequence
from typing import Annotated

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.manifests.fields import Name
from agent.manifests.matchers.written import Written


def compile_failure_category(names: Sequence[str]) -> FailureCategory:
    return FailureCategory(names=tuple(names))


def compile_category(name: str) -> Category:
    return Category(category=name)


OnFailureCategory = Annotated[
    list[Name] | None, Written(matcher=FailureCategory, compile=compile_failure_category, is_list=True)
]

OnCategory = Annotated[Name | None, Written(matcher=Category, compile=compile_category)]
