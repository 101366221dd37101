"""The outcome of one round, and the table of all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.chaos.whole.audit import Kept, Told, first_of_each, reordered
from tests.chaos.whole.plan import Plan, Victim

_RETRY: Final = "retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a plan. ``verdicts`` are actions by run; ``held`` pods have our finalizer still.

    ``suppressed`` counts deliveries that schedulers knew already, as their metrics had it when they were last asked:
    what one dropped in its last moments before it was killed is missing.
    """

    plan: Plan
    told: Sequence[Told]
    kept: Sequence[Kept]
    verdicts: Mapping[str, str]
    held: Sequence[str]
    suppressed: int
    seconds: float

    @property
    def duplicates(self) -> int:
        """Messages of the topic that repeat one before."""
        return len(self.told) - len(first_of_each(self.told))

    @property
    def missing(self) -> list[str]:
        """Pods whose failure the store does not have."""
        return sorted(set(self.plan.names()) - {one.run_id for one in self.kept})

    @property
    def reordered(self) -> int:
        """How often a failure overtook another of its scope."""
        return reordered(self.told, self.kept)

    @property
    def faults(self) -> list[str]:
        """What should not be, in words."""
        runs, names = Counter(one.run_id for one in self.kept), set(self.plan.names())
        retries = sum(action == _RETRY for action in self.verdicts.values())
        found = {
            "lost": len(self.missing),
            "stored more than once": sum(count > 1 for count in runs.values()),
            "without a verdict": len(names - self.verdicts.keys()),
            "stored or decided that never failed": len((runs.keys() | self.verdicts.keys()) - names),
            "still held": len(self.held),
            f"tried again instead of {self.plan.retries}": retries if retries != self.plan.retries else 0,
        }
        return [f"{count} {what}" for what, count in found.items() if count]

    @property
    def holds(self) -> bool:
        """Whether nothing was lost, and each run was decided once."""
        return not self.faults


_KILLS: Final = f"kills of {'/'.join(Victim)}"
HEAD: Final = (
    ("seed", 11),
    ("pods", 6),
    (_KILLS, len(_KILLS) + 2),
    ("s", 5),
    ("stored", 8),
    ("dup. at broker", 16),
    ("missing", 9),
    ("verdicts", 10),
    ("suppressed", 12),
    ("reordered", 11),
)
"""The columns of the table, and how wide they are."""


def head() -> str:
    """The first line of the table."""
    return "".join(f"{name:>{width}}" for name, width in HEAD)


def row(outcome: Outcome) -> str:
    """One more line."""
    plan = outcome.plan
    cells = (
        str(plan.seed),
        f"{plan.pods:,}",
        "/".join(str(plan.kills.get(victim, 0)) for victim in Victim),
        f"{outcome.seconds:.0f}",
        f"{len(outcome.told):,}",
        f"{outcome.duplicates:,}",
        f"{len(outcome.missing):,}",
        f"{len(outcome.verdicts):,}",
        f"{outcome.suppressed:,}",
        f"{outcome.reordered:,}",
    )
    return "".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, HEAD, strict=True))
