"""``onSignals``: the signal that ended a container is listed."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.ends import ends, listed
from agent.core.classify.matchers.matcher import NumberMatcher
from agent.core.classify.signs import failed
from agent.core.evidence import Container, Evidence
from agent.core.exit_status import ending_signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals(NumberMatcher):
    """``onSignals``: a listed signal: the reported one, else the exit code - 128 (129 to 192)."""

    NAME: ClassVar[str] = "onSignals"
    NUMBER: ClassVar[str] = "signal"

    values: frozenset[int]

    @staticmethod
    def number_of(container: Container) -> int | None:
        state = failed(container)
        return None if state is None else ending_signal(state)

    def matches(self, number: int) -> bool:
        return number in self.values

    def not_found(self, name: str, number: int | None) -> str:
        return f"no signal ended container {name}" if number is None else f"signal {number} ended container {name}"

    def listed(self) -> frozenset[object]:
        return frozenset(self.values)

    def words(self) -> str:
        return f"[{listed(self.values)}]"

    def sought(self) -> str:
        return f"signal {' or '.join(str(value) for value in sorted(self.values))}"

    def meaning(self) -> list[object]:
        return [sorted(self.values)]

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        looked_at, why = ends(container, evidence)
        by = ((failing.name, ending_signal(state)) for failing, state in looked_at)
        got = (f"{name} by {'no signal' if signal is None else f'signal {signal}'}" for name, signal in by)
        return why or f"no container was ended by signal {listed(self.values)}: {', '.join(got)}"
