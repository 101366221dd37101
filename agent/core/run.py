"""What is known of a run besides its failure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.error_table.answer import SILENT, TableAnswer
from agent.core.evidence import ContainerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerMemory:
    """The memory one container of the run had, in bytes; ``None`` where the pod does not say."""

    name: str
    kind: ContainerKind = ContainerKind.APP
    request: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One run. ``lineage`` is what its retries count for: its job, or its gang; ``attempt`` counts from 0.

    ``returned`` says that the cluster gave the run back or stopped answering for it, ``fail_fast`` that its job
    asked never to be tried again; ``grace_period`` is the pod's termination grace period. ``ended_at`` is when it
    failed, ``lasted`` how long it ran; ``None`` is unknown. ``gang_size`` is 1 for a job that is no gang's.
    ``memory`` is what its containers had, ``requests`` all that its pod asks of a node, as quantities. ``table`` is
    what the error table says of its failure.
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
    table: TableAnswer = SILENT
