"""Evidence that is not in memory: read when a case begins, within bounds (design 4.2)."""

from collections.abc import Sequence
from typing import Protocol

from agent.cluster.evidence.case import Case


class Source(Protocol):
    """One kind of evidence that takes a request."""

    def wanted(self, case: Case) -> bool:
        """Whether there is anything to read that may be read."""
        ...

    async def read(self, case: Case) -> Case:
        """The case with what could be read; what could not is recorded as missing. Must end within its deadline."""
        ...


class OnDemand:
    """Several sources, one after the other. Is a source itself."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)

    def wanted(self, case: Case) -> bool:
        return any(source.wanted(case) for source in self._sources)

    async def read(self, case: Case) -> Case:
        for source in self._sources:
            if source.wanted(case):
                case = await source.read(case)
        return case
