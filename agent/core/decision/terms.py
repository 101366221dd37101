"""What a retry comes with: its delay, the nodes to avoid, the memory to add; or why it is not possible after all."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import NamedTuple

from agent.core.decision.forbid import grow
from agent.core.evidence import ContainerKind
from agent.core.failure import ENDS
from agent.core.heartbeat import NodeShape
from agent.core.history import History
from agent.core.retry.backoff import Delay, base, delay
from agent.core.retry.dialect import Dialect
from agent.core.retry.facts import Facts
from agent.core.retry.memory import Mutation, mutate
from agent.core.retry.placement import NOTHING, Avoided, as_requests, avoid, fitting
from agent.core.retry.policy import RetrySettings, merge_backoff
from agent.core.retry.speak import Proposal
from agent.core.run import ContainerMemory, RunFacts


class Circumstances(NamedTuple):
    """The run, its lineage's history before it, the settings, the time, and the chance that jitter takes.

    ``shapes`` are those of the nodes the next run may go to, ``None`` where they are not known.
    """

    run: RunFacts
    history: History
    settings: RetrySettings
    now: datetime
    draw: float = 0.0
    shapes: Sequence[NodeShape] | None = None

    @property
    def failed_at(self) -> datetime:
        """When the run failed; now, where that is not known."""
        return self.now if self.run.ended_at is None else self.run.ended_at


class Terms(NamedTuple):
    """The terms of a retry; ``impossible`` says why there can be none, empty where there can."""

    delay: Delay | None = None
    backoff_base: int = 0
    not_before: datetime | None = None
    avoided: Avoided = NOTHING
    mutation: Mutation | None = None
    notes: tuple[str, ...] = ()
    time_factor: float | None = None
    impossible: str = ""


NO_TERMS = Terms()


def work_out_terms(proposal: Proposal, facts: Facts, *, dialect: Dialect, given: Circumstances) -> Terms:
    """The terms of a retry that every limit allows. Raises QuantityError where shapes or requests are no quantities."""
    grows = proposal.rule is not None and proposal.rule.rule.memory is not None
    unchanged = (None, given.run.memory, ())
    mutation, memory, said = mutation_of(proposal, facts, dialect=dialect, had=given.run.memory) if grows else unchanged
    table = given.run.table
    if table.memory:
        mutation, memory, more = grow(mutation, given.run.memory, table, culprit=culprit_of(facts))
        said = (*said, *more)
    places = _places(given, memory)  # with the memory after the mutation: that is what must fit
    if mutation is not None and places == 0:
        why = "the job with more memory fits no node"
        return Terms(impossible=why, mutation=mutation, notes=said)
    avoided = avoid(
        proposal.policy.policy.anti_affinity if proposal.rule is None else proposal.rule.anti_affinity,
        node=given.run.node,
        earlier=given.history.nodes,
        now=given.now,
        fitting=places,
    )
    if avoided.hopeless:
        return Terms(impossible="no untried node fits the job", notes=(*said, *avoided.notes))
    wait, counted, waited = _wait(proposal, facts, given)
    notes = (*waited, *said, *avoided.notes)
    return Terms(
        delay=wait,
        backoff_base=counted,
        not_before=given.now + wait.duration if wait.seconds else given.now,
        avoided=avoided,
        mutation=mutation,
        notes=notes,
        time_factor=table.time_factor,
    )


def _wait(proposal: Proposal, facts: Facts, given: Circumstances) -> tuple[Delay, int, tuple[str, ...]]:
    specific = proposal.policy.policy.backoff if proposal.rule is None else proposal.rule.backoff
    backoff = merge_backoff(specific, given.settings.default_backoff)
    history, key = given.history, proposal.key
    used = history.under(key)
    known = history.backoff_bases.get(key, 0)
    counted, reset = base(backoff.reset_after, used=used, known=known, lasted=given.run.lasted)
    grace, notes = _grace(facts, given.run)
    wait = delay(backoff, number=used - counted + 1, grace=grace, draw=given.draw, reset=reset)
    return wait, counted, notes


def _grace(facts: Facts, run: RunFacts) -> tuple[timedelta | None, tuple[str, ...]]:
    """A preempted run is waited for until it has ended or its grace time is over (seed, "Graceful Shutdown")."""
    if not facts.preempted:
        return None, ()
    if facts.failure.occurrence in ENDS:
        return None, ("preempted: the run has ended, so its grace period is not waited for",)
    return run.grace_period, ("preempted: the run may still live, so its grace period is waited for",)


def mutation_of(
    proposal: Proposal, facts: Facts, *, dialect: Dialect, had: tuple[ContainerMemory, ...]
) -> tuple[Mutation | None, tuple[ContainerMemory, ...], tuple[str, ...]]:
    """The mutation that the rule wants, the memory of all containers after it, and why there is none where it is so.

    ``had`` is the memory the run had.
    """
    growth = None if proposal.rule is None else proposal.rule.rule.memory
    if growth is None:
        return None, had, ()
    culprit = culprit_of(facts)
    mutation, memory = mutate(growth, spread=dialect.spread, culprit=culprit, memory=had)
    if mutation is not None:
        return mutation, memory, ()
    why = f"container {culprit} is at its ceiling or sets none" if culprit else "no container is known to have run out"
    return None, memory, (f"mutate: memory is unchanged: {why}",)


def culprit_of(facts: Facts) -> str:
    """The container that ran out of memory, else the culprit of the failure."""
    killed = facts.out_of_memory()
    return facts.failure.culprit_container if killed is None else killed.name


def _places(given: Circumstances, memory: Sequence[ContainerMemory]) -> int | None:
    if given.shapes is None:
        return None
    requests = as_requests(given.run.requests)
    return fitting(given.shapes, {**requests, "memory": Fraction(_total(memory))} if memory else requests)


def _total(memory: Sequence[ContainerMemory]) -> int:
    """What a pod asks: its containers together, or its largest init container (Kubernetes, "Resource sharing")."""
    together = sum(one.request or 0 for one in memory if one.kind is not ContainerKind.INIT)
    return max(together, *(one.request or 0 for one in memory))
