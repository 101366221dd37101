"""Evidence that is not in memory: read when a case begins, within bounds."""

from collections.abc import Iterable
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


async def read_on_demand(case: Case, sources: Iterable[Source]) -> Case:
    """The case with what these sources have, read one after the other."""
    for source in sources:
        if source.wanted(case):
            case = await source.read(case)
    return case
