"""What is known about a run, apart from its failure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.error_table.answer import NO_ANSWER, TableAnswer
from agent.core.evidence import ContainerMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One run. Its retries count for ``lineage``, its job or gang; ``attempt`` counts from 0.

    ``returned`` says that the cluster returned the run or stopped responding, ``fail_fast`` that its job must never be
    retried; ``grace_period`` is the pod's termination grace period. ``ended_at`` is when it failed, ``lasted`` how long
    it ran; ``None`` is unknown. ``gang_size`` is 1 for a job without a gang. ``memory`` is that of its containers,
    ``requests`` everything that its pod requests, as quantities. ``table`` is the result of the error table for its
    failure.
    """

    lineage: str
    node: str = ""
    attempt: int | None = None
    returned: bool = False
    fail_fast: bool = False
    grace_period: timedelta = timedelta(0)
    ended_at: datetime | None = None
    lasted: timedelta | None = None
    gang_size: int = 1
    memory: tuple[ContainerMemory, ...] = ()
    requests: tuple[tuple[str, str], ...] = ()
    table: TableAnswer = NO_ANSWER
