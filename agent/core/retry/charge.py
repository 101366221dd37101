"""Which budget a retry is charged to: the rule's word, else by what failed and who it is laid at."""

from enum import StrEnum

from agent.core.failure import Failure, Occurrence, Origin


class Charge(StrEnum):
    """The classes of ``spec.budgets``, in the file's spelling (reference/peers.md 4.6)."""

    APPLICATION = "application"
    INFRA = "infra"
    PREEMPTION = "preemption"
    NEVER_STARTED = "neverStarted"
    OOM = "oom"


_OF_NODES = frozenset({Origin.INFRA, Origin.PLATFORM})


def charge_of(failure: Failure, *, preempted: bool, out_of_memory: bool) -> Charge:
    """The class of a failure where the rule names none; of several the first in this order."""
    if preempted:
        return Charge.PREEMPTION
    if out_of_memory:
        return Charge.OOM
    if failure.occurrence is Occurrence.NEVER_STARTED:
        return Charge.NEVER_STARTED
    if failure.occurrence is Occurrence.LEASE_EXPIRED or failure.classification.origin in _OF_NODES:
        return Charge.INFRA
    return Charge.APPLICATION
