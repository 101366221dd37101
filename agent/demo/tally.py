"""Compares what the simulators say happened with what the scheduler decided. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """One row of a simulator's own record: a pod that it ended, stopped, or (``in_run``) restarted in place."""

    pod_uid: str
    script: str
    in_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One verdict in the store. ``latency_ms`` is from when the agent observed it to the decision."""

    pod_uid: str
    classified: bool
    latency_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The demo's figures.

    ``failures`` counts pods that ended or were stopped, ``lost`` those of them without a verdict, ``duplicates``
    the verdicts beyond one a pod, ``unexpected`` verdicts on pods that did not fail. ``classified`` counts failures
    that a rule of a file matched. ``p99_detect_to_decision_ms`` is ``None`` where nothing was decided.
    """

    failures: int
    classified: int
    decided: int
    duplicates: int
    lost: int
    unexpected: int
    in_run: int
    kinds: int
    p99_detect_to_decision_ms: float | None

    @property
    def is_sound(self) -> bool:
        """Whether every failure has exactly one verdict, and nothing else has one."""
        return not (self.lost or self.duplicates or self.unexpected)


def tally(ended: Iterable[Ended], decided: Iterable[Decided]) -> Tally:
    rows = list(ended)
    failed = {row.pod_uid: row for row in rows if not row.in_run}
    verdicts = _by_pod(decided)
    met = {uid: verdicts[uid] for uid in failed if uid in verdicts}
    return Tally(
        failures=len(failed),
        classified=sum(all(decision.classified for decision in decisions) for decisions in met.values()),
        decided=len(met),
        duplicates=sum(len(decisions) - 1 for decisions in verdicts.values()),
        lost=len(failed) - len(met),
        unexpected=len(verdicts.keys() - failed.keys()),
        in_run=sum(row.in_run for row in rows),
        kinds=len({row.script for row in failed.values()}),
        p99_detect_to_decision_ms=percentile(
            [decision.latency_ms for decisions in met.values() for decision in decisions], 0.99
        ),
    )


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least ``share`` of the values do not exceed; ``None`` if there are none."""
    if not values:
        return None
    return round(sorted(values)[math.ceil(share * len(values)) - 1], 1)


def _by_pod(decided: Iterable[Decided]) -> Mapping[str, list[Decided]]:
    verdicts: dict[str, list[Decided]] = {}
    for decision in decided:
        verdicts.setdefault(decision.pod_uid, []).append(decision)
    return verdicts
