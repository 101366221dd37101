"""``onExitCodes``: the exit code of a container is listed, or is not."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from agent.core.classify.matchers.ends import ends, listed
from agent.core.classify.matchers.matcher import ANOTHER_VALUE, NumberMatcher
from agent.core.evidence import Container, Evidence


class Operator(StrEnum):
    """In: the code is listed. NotIn: it is not, and is not 0."""

    IN = "In"
    NOT_IN = "NotIn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCodes(NumberMatcher):
    """``onExitCodes``: a code that is not 0 and is listed (In) or not listed (NotIn)."""

    NAME: ClassVar[str] = "onExitCodes"
    NUMBER: ClassVar[str] = "exit code"

    operator: Operator
    values: frozenset[int]

    @staticmethod
    def number_of(container: Container) -> int | None:
        state = container.ended  # 0 never matches, so it need not have failed
        return None if state is None else state.exit_code

    def matches(self, number: int) -> bool:
        return number != 0 and (number in self.values) == (self.operator is Operator.IN)

    def not_found(self, name: str, number: int | None) -> str:
        if number is None:
            return f"no exit code is known of container {name}"
        return f"the exit code of container {name} is {number}"

    def words(self) -> str:
        return f"{self.operator} [{listed(self.values)}]"

    def sought(self) -> str:
        return f"an exit code {self.words()}"

    def meaning(self) -> list[object]:
        return [self.operator, sorted(self.values)]

    def nearness(self, container: str | None, evidence: Evidence) -> float:
        """Low; a code that is not known counts, too."""
        return ANOTHER_VALUE if ends(container, evidence)[0] else 0.0

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        looked_at, why = ends(container, evidence)
        codes = ((failing.name, state.exit_code) for failing, state in looked_at)
        got = (f"{name} with {'an unknown code' if code is None else code}" for name, code in codes)
        return why or f"no exit code is {self.operator} {listed(self.values)}: {', '.join(got)}"
