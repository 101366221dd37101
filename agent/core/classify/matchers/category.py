"""``onFailureCategory``, ``onCategory`` with ``onSubcategory``: what the failure was classified as."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import FailureMatcher, few
from agent.core.classify.matchers.sight import Finding, Sight, bounded
from agent.core.failure import Classification, Failure, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCategory(FailureMatcher):
    """``onFailureCategory``: any of the failure's categories is listed, the primary one or another."""

    NAME: ClassVar[str] = "onFailureCategory"
    is_pod_level: ClassVar[bool] = False

    names: tuple[str, ...]

    def find(self, container: str | None, failure: Failure) -> Finding:
        given = failure.classification
        categories = given.categories if given.category in given.categories else (given.category, *given.categories)
        for category in categories:
            if category in self.names:
                return _found(category, container, given)
        return f"the categories are {', '.join(categories)}"

    def listed(self) -> frozenset[object]:
        return frozenset(self.names)

    def words(self) -> str:
        return f"[{', '.join(self.names)}]"

    def sought(self) -> str:
        return f"category {' or '.join(self.names)}"

    def label(self) -> str:
        return few(self.names)

    def meaning(self) -> list[object]:
        return [sorted(set(self.names))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Category(FailureMatcher):
    """``onCategory`` and ``onSubcategory``: the primary category and, if given, its subcategory are these."""

    NAME: ClassVar[str] = "onCategory"
    is_pod_level: ClassVar[bool] = False

    category: str
    subcategory: str | None = None

    def find(self, container: str | None, failure: Failure) -> Finding:
        given = failure.classification
        if given.category != self.category:
            return f"the primary category is {given.category}"
        if self.subcategory is not None and given.subcategory != self.subcategory:
            return f"the subcategory is {given.subcategory or 'empty'}"
        return _found(self.category, container, given)

    def covering(self) -> tuple[object, ...]:
        """The same without subcategory, and in a list."""
        return Category(category=self.category), (FailureCategory, self.category)

    def words(self) -> str:
        return self.category if self.subcategory is None else f"{self.category}, onSubcategory {self.subcategory}"

    def sought(self) -> str:
        return f"category {self.words()}"

    def label(self) -> str:
        return self.words()

    def meaning(self) -> list[object]:
        return [self.category, self.subcategory]


def _found(category: str, container: str | None, given: Classification) -> Finding:
    """A category belongs to a container if one of its rules matched in that container."""
    matches = [match for match in given.matches if match.category == category]
    if container is not None:
        matches = [match for match in matches if match.container == container]
        if not matches:
            return f"category {category} was not found in container {container}"
    if not matches:
        return Sight(where="category", text=category, trust=Trust.SYSTEM)
    first = matches[0]
    return Sight(f"category {category}, by {first.where}", bounded(first.text), first.trust, first.container)
