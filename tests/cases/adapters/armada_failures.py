"""Armada's run errors as our failures."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Pod, StateKind
from agent.core.failure import NO_CATEGORY, Classification, Failure, Occurrence, UserCode
from agent.core.run_event import CreationFailed
from agent.core.summary.internal import as_failure

Row = Mapping[str, Any]

OOM_REASON = {"OOM": "OOMKilled", "AppError": "Error"}
"""The reason of a container's end that Armada's ``KubernetesReason`` stands for."""
POD_REASONS = frozenset({"Evicted", "DeadlineExceeded"})


def failure_of(row: Row) -> Failure:
    """A failure as our agent would have reported it; a run that was returned is one that was refused."""
    if row["reason"] == "podLeaseReturned":
        return as_failure(CreationFailed(reason="LeaseReturned", message=row.get("message", "")))
    preempted = row["reason"] == "jobRunPreemptedError"
    reason = row.get("kubernetesReason", "")
    return Failure(
        occurrence=Occurrence.LEASE_EXPIRED if row["reason"] == "leaseExpired" else Occurrence.POD_FAILED,
        classification=classified(row),
        user_code=UserCode(),
        pod=Pod(
            phase="Failed",
            reason=reason if reason in POD_REASONS else "",
            conditions=(PREEMPTED,) if preempted else (),
            containers=containers_of(row.get("containerErrors") or (), reason=OOM_REASON.get(reason, "")),
        ),
    )


PREEMPTED = Condition(type="DisruptionTarget", status="True", reason="PreemptionByScheduler")


def classified(row: Row) -> Classification:
    """Armada's two flat strings; an empty category is our ``none``."""
    category = row.get("failureCategory") or ""
    return Classification(
        category=category or NO_CATEGORY,
        subcategory=row.get("failureSubcategory") or "",
        matched=bool(category),
        categories=(category,) if category else (),
    )


def containers_of(rows: Sequence[Row], *, reason: str) -> tuple[Container, ...]:
    """Containers that ended; those with a non-zero code for this reason."""
    return tuple(_container(number, row, reason) for number, row in enumerate(rows))


def _container(number: int, row: Row, reason: str) -> Container:
    code = row.get("exitCode", 0)
    state = ContainerState(
        kind=StateKind.TERMINATED,
        exit_code=code,
        message=row.get("message", ""),
        reason=reason if code else "Completed",
    )
    return Container(name=row.get("name", f"c{number}"), kind=ContainerKind.APP, state=state, ended=state)
