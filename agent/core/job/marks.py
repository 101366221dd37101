"""Our conditions in a simulation: those that the rules give a pod when it fails, and how often an index gets them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.core.admission.conditions import PodCondition, Withheld
from agent.core.classify.disruption import TARGETED
from agent.core.evidence import Evidence
from agent.core.identity.conditions import HOPELESS, PREFIX
from agent.core.job.words import PolicyRule

ConditionsOf = Callable[[Evidence], tuple[PodCondition, ...] | Withheld]
"""Gives the conditions that follow from what is known of a failed pod, or why there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The conditions that one pod got, and the category, or why it got none."""

    conditions: tuple[str, ...] = ()
    why: str


@dataclass(slots=True, kw_only=True)
class Marks:
    """What gives the pods of one Job their conditions.

    ``most``: how often an index gets each condition but ``Hopeless``; for a Job that is not indexed, the Job.
    """

    conditions_of: ConditionsOf
    most: int
    given: Counter[tuple[int | None, str]] = field(default_factory=Counter)

    def mark(self, index: int | None, evidence: Evidence) -> Mark | None:
        """Mark a pod that fails now; ``None`` if an outcome has given it one of our conditions already."""
        has = {condition.type for condition in evidence.pod.conditions}
        if any(condition.startswith(PREFIX) for condition in has):
            return None
        if has & TARGETED:
            return Mark(why=Withheld.DISRUPTED)
        found = self.conditions_of(evidence)
        if isinstance(found, Withheld):
            return Mark(why=found)
        types = tuple(condition.type for condition in found if self._is_allowed(index, condition.type))
        self.given.update((index, kind) for kind in types)
        return Mark(conditions=types, why=found[0].reason if types else Withheld.LIMIT)

    def _is_allowed(self, index: int | None, condition: str) -> bool:
        return condition == HOPELESS or self.given[index, condition] < self.most


def no_marks() -> Marks | None:
    """Return nothing: there are no rules, so failed pods only have the conditions that an outcome gives them."""
    return None


def names_ours(policy: Sequence[PolicyRule] | None) -> bool:
    """Return whether a ``podFailurePolicy`` has a rule on one of our conditions."""
    return any(pattern.type.startswith(PREFIX) for rule in policy or () for pattern in rule.pod_conditions)
