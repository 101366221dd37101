"""``onSignals``: the signal that ended a container is listed."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.ends import ended, ends, listed
from agent.core.classify.matchers.sight import Sight
from agent.core.evidence import Container, Evidence
from agent.core.exit_status import ending_signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """``onSignals``: a listed signal: the reported one, else the exit code - 128 (129 to 192)."""

    NAME: ClassVar[str] = "onSignals"
    is_pod_level: ClassVar[bool] = False

    values: frozenset[int]

    def matches(self, signal: int) -> bool:
        return signal in self.values

    def seen(self, container: Container) -> Sight:
        signal, name = ending_signal(ended(container)), container.name
        return Sight(where=f"container {name}: signal {signal}", text=str(signal), container=name)

    def words(self) -> str:
        return f"[{listed(self.values)}]"

    def meaning(self) -> list[object]:
        return [sorted(self.values)]

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        looked_at, why = ends(container, evidence)
        by = ((failing.name, ending_signal(state)) for failing, state in looked_at)
        got = (f"{name} by {'no signal' if signal is None else f'signal {signal}'}" for name, signal in by)
        return why or f"no container was ended by signal {listed(self.values)}: {', '.join(got)}"
