"""How far a demo is: what came of its jobs and of their failures so far."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from agent.demo.layout import CLUSTERS, Layout
from agent.demo.lines import Row
from agent.demo.outcome import JobFigures, JobStanding, Outcome, Witnessed, job_figures
from agent.demo.readings import Decision, Recovery, read_decisions, read_record
from agent.demo.standings import read_closures, read_runs, read_standings
from agent.demo.tally import Tally, tally
from agent.store.store import Store


class Progress:
    """What was read so far; each verdict is read once."""

    def __init__(self, layout: Layout, store: Store) -> None:
        self._layout = layout
        self._store = store
        self._last: datetime | None = None
        self._decisions: dict[str, Decision] = {}
        self._recovered: set[str] = set()
        self.standings: Mapping[str, JobStanding] = {}
        self.rows: list[Row] = []

    @property
    def decisions(self) -> Sequence[Decision]:
        return tuple(self._decisions.values())

    @property
    def unfinished(self) -> int:
        """How many jobs have not ended."""
        return sum(standing.outcome is Outcome.UNFINISHED for standing in self.standings.values())

    def check_room(self) -> None:
        """Raise OSError if the disk is full: the parts would retry forever."""
        self._layout.check_room()

    def read(self) -> Sequence[Row]:
        """The new rows."""
        self.standings = read_standings(self._store)  # before the verdicts: a job recovers after the last one
        fresh: list[Row] = [*self._read_decisions(), *self._read_recoveries()]
        self.rows += fresh
        return fresh

    def tally(self) -> Tally:
        ended = [row for cluster in CLUSTERS for row in read_record(self._layout.record(cluster))]
        return tally(ended, (decision.as_decided() for decision in self.decisions))

    def figures(self, *, missing: int, witnessed: Witnessed) -> JobFigures:
        return job_figures(
            self.standings,
            missing=missing,
            runs=read_runs(self._store),
            closures=read_closures(self._store),
            witnessed=witnessed,
        )

    def _read_decisions(self) -> Sequence[Decision]:
        """Several verdicts may share a time, so those of the last time read are read again and dropped."""
        found = read_decisions(self._store, since=self._last)
        fresh = [decision for decision in found if decision.run_id not in self._decisions]
        self._decisions |= {decision.run_id: decision for decision in fresh}
        self._last = max((decision.decided_at for decision in found), default=self._last)
        return fresh

    def _read_recoveries(self) -> Iterable[Recovery]:
        last = {decision.job_id: decision for decision in self.decisions}
        for job_id, standing in self.standings.items():
            recovered = standing.outcome is Outcome.RECOVERED and job_id not in self._recovered
            if recovered and standing.ended_at is not None and job_id in last:
                self._recovered.add(job_id)
                yield Recovery(ended_at=standing.ended_at, attempt=standing.retries, last=last[job_id])
