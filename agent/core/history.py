"""Earlier decisions for a lineage, as counts.

The store counts verdicts when it is asked. It keeps no counters, because a counter could differ from the verdicts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
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
    """What one verdict passes on to later ones, in addition to the rule under which it granted a retry.

    ``retried`` says that another run follows, whoever granted it; ``granted_at`` is when. ``began_at`` is when the run
    began, ``lasted`` how long it ran; ``None`` is unknown.
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
    retried: bool = False
    granted_at: datetime | None = None
    began_at: datetime | None = None
    lasted: timedelta | None = None


NOTHING = Past()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Counts over the verdicts of one lineage: a job, or a gang.

    ``runs`` counts runs with a verdict; ``granted`` the retries that policies granted, by rule key, and ``granted_at``
    when, the latest last; ``ungoverned`` those that no policy granted. ``undisturbed`` counts retries by policies after
    runs that were neither preempted nor returned, ``charged`` all of them by budget; ``backoff_bases`` and ``shadow``
    are by rule key. ``nodes`` has each node once, the latest last. ``assumed`` replaces missing grants when policies in
    shadow are evaluated. ``most_runs`` is the lowest limit that the error table has set; it is only ever lowered.
    ``began_at`` is when the first run began, ``ran`` how long all of them ran.
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
    ungoverned: int = 0
    granted_at: Mapping[str, tuple[datetime, ...]] = field(default_factory=dict)
    began_at: datetime | None = None
    ran: timedelta = timedelta(0)

    @property
    def retries(self) -> int:
        """All retries, whoever granted them."""
        return sum(self.granted.values()) + self.ungoverned

    def under(self, key: str) -> int:
        """The retries granted under one rule."""
        return self.granted.get(key) or self.assumed.get(key, 0)

    def counted(self, what: Counted, key: str) -> int:
        """The retries that a limit of this kind counts."""
        return self.under(key) if what is Counted.RULE else self.undisturbed

    def followed_by(self, granted_under: str | None, *, past: Past = NOTHING) -> "History":
        """This history plus one verdict, which granted a retry under this rule key, or none."""
        nodes = self.nodes if past.failed_on is None else _with(self.nodes, past.failed_on)
        shadow = _one_more(self.shadow, past.shadow_key)
        after = replace(
            self,
            runs=self.runs + 1,
            ungoverned=self.ungoverned + (past.retried and granted_under is None),
            shadow=shadow,
            nodes=nodes,
            most_runs=_lower(self.most_runs, past.most_runs),
            began_at=_earlier(self.began_at, past.began_at),
            ran=self.ran + (past.lasted or timedelta(0)),
            assumed={},
        )
        if granted_under is None:
            return after
        # a reset seen by an earlier verdict is never undone
        base = max(self.backoff_bases.get(granted_under, 0), past.backoff_base)
        return replace(
            after,
            granted=_one_more(self.granted, granted_under),
            granted_at=_at(self.granted_at, granted_under, past.granted_at),
            undisturbed=self.undisturbed + past.undisturbed,
            charged=_one_more(self.charged, past.charge),
            backoff_bases={**self.backoff_bases, granted_under: base} if base else self.backoff_bases,
        )


def _one_more(counts: Mapping[Key, int], key: Key | None) -> Mapping[Key, int]:
    return counts if key is None else {**counts, key: counts.get(key, 0) + 1}


def _at(
    times: Mapping[str, tuple[datetime, ...]], key: str, latest: datetime | None
) -> Mapping[str, tuple[datetime, ...]]:
    return times if latest is None else {**times, key: (*times.get(key, ()), latest)}


def _earlier(known: datetime | None, latest: datetime | None) -> datetime | None:
    return min((at for at in (known, latest) if at is not None), default=None)


def _lower(known: MostRuns | None, latest: MostRuns | None) -> MostRuns | None:
    return min((most for most in (known, latest) if most is not None), key=lambda most: most.runs, default=None)


def _with(nodes: tuple[FailedOn, ...], latest: FailedOn) -> tuple[FailedOn, ...]:
    return (*(node for node in nodes if node.node != latest.node), latest)
