"""``minGrade``: how well the advice on the failure is known, at least."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import FailureMatcher
from agent.core.classify.matchers.sight import Finding, Sight
from agent.core.failure import Failure, Grade

_BEST_FIRST = tuple(Grade)


@dataclass(frozen=True, slots=True, kw_only=True)
class MinGrade(FailureMatcher):
    """``minGrade: proven``: this grade or a better one. A failure that was not graded, as in file order, has none."""

    NAME: ClassVar[str] = "minGrade"
    is_pod_level: ClassVar[bool] = True

    least: Grade

    @property
    def grades(self) -> tuple[Grade, ...]:
        """The grades that are good enough."""
        return _BEST_FIRST[: _BEST_FIRST.index(self.least) + 1]

    def find(self, container: str | None, failure: Failure) -> Finding:
        """Search a failure; the grade is that of the whole failure, whatever container the rule names."""
        del container
        found = failure.classification.grade
        if found is None:
            return "the failure has no grade"
        return Sight("grade", found.value) if found in self.grades else f"the grade is {found}"

    def listed(self) -> frozenset[object]:
        return frozenset(self.grades)

    def words(self) -> str:
        return self.least.value

    def sought(self) -> str:
        return f"the grade {' or '.join(self.grades)}"

    def meaning(self) -> list[object]:
        return [self.least]
