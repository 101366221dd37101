"""What may forbid a restart: every limit is always checked, and can only forbid."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent.core.error_table.answer import TableAnswer
from agent.core.jobset.manifest import JobSet, JobSetMemory
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import COUNTED, FAIL_JOB_SET
from agent.core.retry.limits import CAP

MAX_RESTARTS = "maxRestarts"
STOPPED = "retries.stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentLimit:
    """One limit and its result: ``used`` of ``limit``. ``exempt`` says why it does not apply to this restart.

    ``said`` is the result of a limit without numbers.
    """

    name: str
    used: int = 0
    limit: int = 0
    allowed: bool
    exempt: str = ""
    said: str = ""

    @property
    def line(self) -> str:
        """The limit as one line for people."""
        counts = self.said or f"{self.used} of {self.limit} restarts used"
        answer = f"not checked: {self.exempt}" if self.exempt else "allowed" if self.allowed else "forbidden"
        return f"{self.name}: {counts}: {answer}"


def ask(
    jobset: JobSet, status: JobSetStatus, memory: JobSetMemory, *, action: str, replicated_job: str | None
) -> Iterator[ParentLimit]:
    """Check ``maxRestarts``, then each budget, for a restart by an action because of a replicated job.

    ``maxRestarts`` counts restarts in the status and of the lineage's earlier objects. With the gate RestartJob,
    restarts of the whole JobSet and of single Jobs share it.
    """
    policy = jobset.spec.failure_policy
    if policy is not None:
        used = memory.before.counted + status.counted(alone=jobset.gates.restart_job)
        yield _limit(MAX_RESTARTS, used, policy.max_restarts, exempt=_exempt(action))
    for budget in jobset.choices.budgets:
        used = memory.restarts.charged(budget.action, budget.replicated_job)
        exempt = _fails(action) or _elsewhere(about=budget.is_about(action, replicated_job))
        yield _limit(budget.words, used, budget.limit, exempt=exempt)


def ask_cap(cap: int | None, memory: JobSetMemory, *, action: str) -> Iterator[ParentLimit]:
    """Check the cap on all restarts of the lineage; no restart is exempt, so that none goes on without end."""
    if cap is not None:
        yield _limit(CAP, memory.restarts.total, cap, exempt=_fails(action))


def ask_operator(*, stopped: bool) -> ParentLimit:
    return ParentLimit(name=STOPPED, allowed=not stopped, said="true" if stopped else "false")


def of_table(said: TableAnswer, *, job: str) -> tuple[ParentLimit, ...]:
    """Return the limits of the error table for the failure that ended a Job, because a restart runs the Job again."""
    return tuple(
        ParentLimit(
            name=limit.source,
            used=limit.used,
            limit=limit.limit,
            allowed=limit.allowed,
            said=f"{limit.counts} of {job}: {limit.used} of {limit.limit}",
        )
        for limit in said.limits
    )


def _limit(name: str, used: int, limit: int, *, exempt: str) -> ParentLimit:
    return ParentLimit(name=name, used=used, limit=limit, allowed=bool(exempt) or used < limit, exempt=exempt)


def _exempt(action: str) -> str:
    return _fails(action) or ("" if action in COUNTED else f"{action} does not count")


def _fails(action: str) -> str:
    return f"{action} restarts nothing" if action == FAIL_JOB_SET else ""


def _elsewhere(*, about: bool) -> str:
    return "" if about else "this restart is not charged to it"
