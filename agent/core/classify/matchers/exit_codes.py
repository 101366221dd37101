"""``onExitCodes``: the exit code of a container is listed, or is not."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from agent.core.classify.matchers.ends import ended, ends, listed
from agent.core.classify.matchers.sight import Sight
from agent.core.evidence import Container, Evidence


class Operator(StrEnum):
    """In: the code is listed. NotIn: it is not, and is not 0."""

    IN = "In"
    NOT_IN = "NotIn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCodes:
    """``onExitCodes``: a code that is not 0 and is listed (In) or not listed (NotIn)."""

    NAME: ClassVar[str] = "onExitCodes"
    is_pod_level: ClassVar[bool] = False

    operator: Operator
    values: frozenset[int]

    def matches(self, code: int) -> bool:
        return code != 0 and (code in self.values) == (self.operator is Operator.IN)

    def seen(self, container: Container) -> Sight:
        code, name = ended(container).exit_code, container.name
        return Sight(where=f"container {name}: exit code {code}", text=str(code), container=name)

    def words(self) -> str:
        return f"{self.operator} [{listed(self.values)}]"

    def meaning(self) -> list[object]:
        return [self.operator, sorted(self.values)]

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        looked_at, why = ends(container, evidence)
        codes = ((failing.name, state.exit_code) for failing, state in looked_at)
        got = (f"{name} with {'an unknown code' if code is None else code}" for name, code in codes)
        return why or f"no exit code is {self.operator} {listed(self.values)}: {', '.join(got)}"
