"""Compares what Lookout stored with what the scheduler's store says. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from agent.console.paragraphs import paragraph, wrap
from agent.console.terminal import visible
from agent.core.failure import IN_RUN, Occurrence
from agent.lookout.store.outlines import GONE

_SHOWN: Final = 5
"""Differences that are listed; the rest is counted."""


class Kind(NamedTuple):
    """How a run failed."""

    category: str
    subcategory: str
    origin: str

    def __str__(self) -> str:
        return f"{'/'.join(filter(None, (self.category, self.subcategory)))} ({self.origin})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A failure of a run that was reported, or what amends it."""

    run_id: str
    event_id: str
    amends: str | None
    occurrence: Occurrence
    occurred_at: datetime
    observed_at: datetime
    kind: Kind


def reasons(reports: Iterable[Report]) -> Mapping[str, Kind]:
    """Why each run failed: what its first failure says that is not only that the pod is gone, or its last amendment."""
    in_order = sorted(reports, key=lambda report: report.observed_at)
    latest = {report.amends: report.kind for report in in_order if report.amends is not None}
    ends = [report for report in in_order if report.amends is None and report.occurrence not in IN_RUN]
    ends.sort(key=lambda end: (end.occurrence in GONE, end.occurred_at, end.event_id), reverse=True)
    return {end.run_id: latest.get(end.event_id, end.kind) for end in ends}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAccount:
    """What is known of a run. ``kind`` is ``None`` if it did not fail, ``verdict`` empty if nothing was decided."""

    job_id: str
    attempt: int | None
    kind: Kind | None
    verdict: str

    def __str__(self) -> str:
        number = "?" if self.attempt is None else self.attempt + 1
        return f"{self.job_id} #{number} {self.kind or 'no failure'}, {self.verdict or 'no verdict'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a database says: runs, the states of jobs, and how many runs failed in each way."""

    runs: Mapping[str, RunAccount]
    jobs: Mapping[str, str | None]
    failures: Mapping[str, int]

    def figures(self) -> Mapping[str, int]:
        return {
            "jobs": len(self.jobs),
            "runs": len(self.runs),
            "failures": sum(self.failures.values()),
            "verdicts": sum(run.verdict != "" for run in self.runs.values()),
        }


def counted(runs: Iterable[RunAccount]) -> Mapping[str, int]:
    """How many of the runs failed in each way."""
    return Counter(str(run.kind) for run in runs if run.kind is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What Lookout stored, and in what it differs from what was decided."""

    figures: Mapping[str, int]
    differences: Sequence[str]

    def lines(self, *, seconds: float, log: str, columns: int) -> Iterator[str]:
        """In words. ``seconds`` is how long a difference was waited for."""
        figures = ", ".join(f"{number} {name}" for name, number in self.figures.items())
        if not self.differences:
            yield from wrap(f"Lookout stored the same: {figures}", columns)
            return
        yield from wrap(f"Lookout stored {figures}, and differs after {seconds:g} s. Its log: {visible(log)}", columns)
        more = len(self.differences) - _SHOWN
        for text in (*self.differences[:_SHOWN], *([f"and {more} more"] if more > 0 else [])):
            yield from paragraph("- ", visible(text), indent=2, columns=columns)


def compare(decided: Account, stored: Account) -> Agreement:
    """Compare each job, each run and each count."""
    found = [
        *_differing("job", decided.jobs, stored.jobs),
        *_differing("run", decided.runs, stored.runs),
        *_differing("failures", decided.failures, stored.failures),
    ]
    return Agreement(figures=stored.figures(), differences=found)


def _differing(what: str, expected: Mapping[str, object], found: Mapping[str, object]) -> Iterator[str]:
    for key in sorted({*expected, *found}):
        if found.get(key) != expected.get(key):
            yield f"{what} {key}: {found.get(key, 'missing')} instead of {expected.get(key, 'missing')}"
