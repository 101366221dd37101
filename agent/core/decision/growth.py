"""More memory for the next run: from the rule that decided, and from the error table."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from agent.core.decision.judgement import Proposal
from agent.core.error_table.answer import MoreMemory, TableAnswer
from agent.core.evidence import ContainerMemory
from agent.core.retry.dialect import Dialect
from agent.core.retry.facts import Facts
from agent.core.retry.growth import MemoryGrowth, Mutation
from agent.core.retry.memory import mutate
from agent.core.run import RunFacts
from agent.core.units import in_bytes

_MEBIBYTE = 1 << 20
"""A step of the ladder is in MB as PanDA counts, which are Mi here."""


class GrownMemory(NamedTuple):
    """The mutation of rule and table together, the memory of all containers after it, and notes."""

    mutation: Mutation | None
    memory: tuple[ContainerMemory, ...]
    notes: tuple[str, ...] = ()


NOT_GROWN = GrownMemory(None, ())


def more_memory(proposal: Proposal, facts: Facts, *, dialect: Dialect, run: RunFacts) -> GrownMemory:
    """The memory that the rule and the error table together give the next run."""
    by_rule = mutation_of(proposal, facts, dialect=dialect, had=run.memory)
    if not run.table.memory:
        return by_rule
    grown = grow(by_rule.mutation, run.memory, run.table, culprit=culprit_of(facts))
    return grown._replace(notes=(*by_rule.notes, *grown.notes))


def mutation_of(proposal: Proposal, facts: Facts, *, dialect: Dialect, had: tuple[ContainerMemory, ...]) -> GrownMemory:
    """The mutation of the rule, the memory of all containers after it, and the reason if there is no mutation.

    ``had`` is the memory of the run.
    """
    growth = None if proposal.rule is None else proposal.rule.rule.memory
    if growth is None:
        return GrownMemory(None, had)
    culprit = culprit_of(facts)
    mutation, memory = mutate(growth, spread=dialect.spread, culprit=culprit, memory=had)
    if mutation is not None:
        return GrownMemory(mutation, memory)
    why = f"container {culprit} is at its ceiling or sets none" if culprit else "no container is known to have run out"
    return GrownMemory(None, memory, (f"mutate: memory is unchanged: {why}",))


def culprit_of(facts: Facts) -> str:
    """The container that ran out of memory, else the culprit of the failure."""
    killed = facts.out_of_memory()
    return facts.failure.culprit_container if killed is None else killed.name


def grow(mutation: Mutation | None, had: Sequence[ContainerMemory], said: TableAnswer, *, culprit: str) -> GrownMemory:
    """What the table adds to the mutation of the rule that decided; for each field the larger value wins.

    ``had`` is the memory of the run; ``culprit`` is the container that ran out, empty if not known.
    """
    after = {container.name: container for container in _after(mutation, had)}
    if not said.memory:
        return GrownMemory(mutation, tuple(after.values()))
    before = next((container for container in had if container.name == culprit), None)
    if before is None:
        why = f"the memory of container {culprit} is not known" if culprit else "no container is known to have run out"
        return GrownMemory(
            mutation, tuple(after.values()), tuple(f"{more.rule}: memory is unchanged: {why}" for more in said.memory)
        )
    notes = []
    for more in said.memory:
        grown = _more(before, more)
        notes.append(f"{more.rule}: container {culprit}: {_size(before)} -> {_size(grown)}")
        after[culprit] = _larger(after[culprit], grown)
    return GrownMemory(_mutation(mutation, had, tuple(after.values())), tuple(after.values()), tuple(notes))


def _after(mutation: Mutation | None, had: Sequence[ContainerMemory]) -> tuple[ContainerMemory, ...]:
    changed = {} if mutation is None else {container.name: container for container in mutation.after}
    return tuple(changed.get(container.name, container) for container in had)


def _mutation(
    mutation: Mutation | None, had: Sequence[ContainerMemory], after: Sequence[ContainerMemory]
) -> Mutation | None:
    changed = [(old, new) for old, new in zip(had, after, strict=True) if old != new]
    if not changed or (mutation is not None and mutation.after == tuple(new for _, new in changed)):
        return mutation
    most = max((new.request or new.limit or 0) - (old.request or old.limit or 0) for old, new in changed)
    return Mutation(
        growth=MemoryGrowth(static=most),
        container=changed[0][1].name if len(changed) == 1 else "",
        before=tuple(old for old, _ in changed),
        after=tuple(new for _, new in changed),
    )


def _more(container: ContainerMemory, more: MoreMemory) -> ContainerMemory:
    return replace(container, request=_grown(container.request, more), limit=_grown(container.limit, more))


def _grown(size: int | None, more: MoreMemory) -> int | None:
    """Unset values stay unset, and nothing shrinks; above the last step the ladder adds nothing."""
    if not size:
        return size
    if more.factor is not None:
        return max(size, math.ceil(size * Fraction(more.factor)))
    steps = () if more.ladder is None else more.ladder.steps
    return next((step * _MEBIBYTE for step in steps if size < step * _MEBIBYTE), size)


def _larger(by_rule: ContainerMemory, by_table: ContainerMemory) -> ContainerMemory:
    return replace(
        by_rule, request=_most(by_rule.request, by_table.request), limit=_most(by_rule.limit, by_table.limit)
    )


def _most(size: int | None, other: int | None) -> int | None:
    return max(size, other) if size is not None and other is not None else size


def _size(container: ContainerMemory) -> str:
    size = container.request or container.limit
    return in_bytes(size) if size else "not set"
