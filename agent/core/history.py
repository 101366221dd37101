"""Earlier decisions for a lineage, as counts (design 5: queries over verdict rows, not stored counters)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypeVar

from agent.core.limit import Charge, Counted

Key = TypeVar("Key", bound=str)


class FailedOn(NamedTuple):
    """A node on which a run of the lineage failed, and the time of the latest failure."""

    node: str
    at: datetime


class MostRuns(NamedTuple):
    """The lowest limit that rules of the error table have set: a total number of runs; ``source`` names the rule."""

    runs: int
    source: str


class Past(NamedTuple):
    """What one verdict passes on to later ones, in addition to the retry it granted.

    ``charge`` is the budget of that retry; ``undisturbed`` says that the run was neither preempted nor returned;
    ``backoff_base`` how many retries under its rule the delays no longer count; ``shadow_key`` the rule under which
    the policies in shadow would have granted a retry; ``most_runs`` the error table's limit for the job.
    """

    charge: Charge | None = None
    undisturbed: bool = True
    backoff_base: int = 0
    shadow_key: str | None = None
    failed_on: FailedOn | None = None
    most_runs: MostRuns | None = None


NOTHING = Past()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Counts over the verdicts of one lineage: a job, or a gang.

    ``runs`` counts runs with a verdict; ``granted`` the retries that policies granted, by rule key. Retries of the
    legacy formula are not included. ``undisturbed`` counts those granted after runs that were neither preempted nor
    returned, ``charged`` all of them by budget; ``backoff_bases`` and ``shadow`` are by rule key. ``nodes`` has each
    node once, the latest last. ``assumed`` replaces missing grants when policies in shadow are evaluated. ``most_runs``
    is the lowest limit that the error table has set; it is only ever lowered.
    """

    runs: int = 0
    granted: Mapping[str, int] = field(default_factory=dict)
    undisturbed: int = 0
    charged: Mapping[Charge, int] = field(default_factory=dict)
    backoff_bases: Mapping[str, int] = field(default_factory=dict)
    shadow: Mapping[str, int] = field(default_factory=dict)
    nodes: tuple[FailedOn, ...] = ()
    assumed: Mapping[str, int] = field(default_factory=dict)
    most_runs: MostRuns | None = None

    @property
    def retries(self) -> int:
        """All retries that policies granted."""
        return sum(self.granted.values())

    def under(self, key: str) -> int:
        """The retries granted under one rule."""
        return self.granted.get(key) or self.assumed.get(key, 0)

    def counted(self, what: Counted, key: str) -> int:
        """The retries that a limit of this kind counts."""
        if what is Counted.RULE:
            return self.granted.get(key) or self.assumed.get(key, 0)
        return self.retries if what is Counted.ALL else self.undisturbed

    def followed_by(self, granted_under: str | None, *, past: Past = NOTHING) -> "History":
        """This history plus one verdict, which granted a retry under this rule key, or none."""
        nodes = self.nodes if past.failed_on is None else _with(self.nodes, past.failed_on)
        shadow = _one_more(self.shadow, past.shadow_key)
        most_runs = _lower(self.most_runs, past.most_runs)
        if granted_under is None:
            return History(
                runs=self.runs + 1,
                granted=self.granted,
                undisturbed=self.undisturbed,
                charged=self.charged,
                backoff_bases=self.backoff_bases,
                shadow=shadow,
                nodes=nodes,
                most_runs=most_runs,
            )
        # a reset seen by an earlier verdict is never undone
        base = max(self.backoff_bases.get(granted_under, 0), past.backoff_base)
        return History(
            runs=self.runs + 1,
            granted=_one_more(self.granted, granted_under),
            undisturbed=self.undisturbed + past.undisturbed,
            charged=_one_more(self.charged, past.charge),
            backoff_bases={**self.backoff_bases, granted_under: base} if base else self.backoff_bases,
            shadow=shadow,
            nodes=nodes,
            most_runs=most_runs,
        )


def _one_more(counts: Mapping[Key, int], key: Key | None) -> Mapping[Key, int]:
    return counts if key is None else {**counts, key: counts.get(key, 0) + 1}


def _lower(known: MostRuns | None, latest: MostRuns | None) -> MostRuns | None:
    return min((one for one in (known, latest) if one is not None), key=lambda one: one.runs, default=None)


def _with(nodes: tuple[FailedOn, ...], latest: FailedOn) -> tuple[FailedOn, ...]:
    return (*(one for one in nodes if one.node != latest.node), latest)
