"""The course of a demo: start the parts, watch until every failure is decided, and return the figures."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.demo.layout import CLUSTERS, Layout
from agent.demo.parts import Parts
from agent.demo.readings import Decision, read_decisions, read_record, served_url, simulators_done
from agent.demo.tally import Tally, tally
from agent.demo.view import View
from agent.process.stopping import Stopped
from agent.store.errors import StoreError
from agent.store.store import Store

_START_SECONDS = 30.0
_TICK_SECONDS = 0.25
_DRAIN_SECONDS = 60.0


class PartFailed(Exception):
    """A part did not start; the message says which, and where its log is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOutcome:
    """``stopped``: by a signal, so that some failures may not be decided yet."""

    tally: Tally
    decisions: Sequence[Decision]
    restarts: int
    stopped: Stopped | None = None


def run_demo(layout: Layout, *, seconds: float, view: View) -> DemoOutcome:
    """Run all parts for ``seconds``, then until everything that failed is decided, or until a signal stops it.

    Raises PartFailed, StoreError, OSError if the disk is full, and Stopped before there is anything to show.
    """
    with Parts(layout.pids) as parts:
        for seed, cluster in enumerate(CLUSTERS, start=1):
            parts.start(layout.simulator(cluster, seconds=seconds, seed=seed))
        parts.start(layout.scheduler())
        urls = {cluster: _wait_for_url(layout, cluster) for cluster in CLUSTERS}
        for cluster, url in urls.items():
            parts.start(layout.agent(cluster, url=url))
        with _wait_for_store(layout, parts) as store:
            progress, stopped = _Progress(layout, store), None
            try:
                with view:
                    _watch(progress, parts, layout=layout, urls=urls, seconds=seconds, view=view)
            except Stopped as stop:
                stopped = stop
            return DemoOutcome(
                tally=progress.tally(),
                decisions=tuple(progress.decisions.values()),
                restarts=parts.restarts,
                stopped=stopped,
            )


class _Progress:
    """What was read so far; each verdict is read once."""

    def __init__(self, layout: Layout, store: Store) -> None:
        self._layout = layout
        self._store = store
        self._last: datetime | None = None
        self.decisions: dict[str, Decision] = {}

    def read(self) -> list[Decision]:
        """The new verdicts. Several may share a time, so those of the last time read are read again and dropped."""
        found = read_decisions(self._store, since=self._last)
        fresh = [one for one in found if one.run_id not in self.decisions]
        self.decisions |= {one.run_id: one for one in fresh}
        self._last = max((one.decided_at for one in found), default=self._last)
        return fresh

    def tally(self) -> Tally:
        ended = [row for cluster in CLUSTERS for row in read_record(self._layout.record(cluster))]
        return tally(ended, (one.as_decided() for one in self.decisions.values()))


def _wait_for_url(layout: Layout, cluster: str) -> str:
    log = layout.folder / "logs" / f"simulator-{cluster}.log"
    deadline = time.monotonic() + _START_SECONDS
    while (url := served_url(log)) is None:
        layout.check_room()
        if time.monotonic() > deadline:
            raise PartFailed(f"the simulator of {cluster} did not start within {_START_SECONDS:g} s; see {log}")
        time.sleep(_TICK_SECONDS / 5)
    return url


def _wait_for_store(layout: Layout, parts: Parts) -> Store:
    """Attach to the store once the scheduler has created it."""
    deadline = time.monotonic() + _START_SECONDS
    while True:
        layout.check_room()
        parts.restart_dead()
        try:
            return Store.attach(layout.store_url)
        except StoreError as error:
            if time.monotonic() > deadline:
                raise PartFailed(f"the scheduler did not start: {error}; see {layout.folder / 'logs'}") from error
        time.sleep(_TICK_SECONDS)


def _watch(
    progress: _Progress, parts: Parts, *, layout: Layout, urls: Mapping[str, str], seconds: float, view: View
) -> None:
    """Show verdicts until the simulators are done and everything is decided, or nothing was decided for a minute."""
    started = moved = time.monotonic()
    done = False
    while True:
        layout.check_room()
        parts.restart_dead()
        fresh = progress.read()
        tally_now = progress.tally()
        now = time.monotonic()
        done = done or (now - started >= seconds and simulators_done(urls.values()))
        state = _state(seconds - (now - started), done=done, lost=tally_now.lost)
        view.show(list(progress.decisions.values()), fresh=fresh, tally=tally_now, state=state)
        if fresh or not done:
            moved = now
        if done and (not tally_now.lost or now - moved > _DRAIN_SECONDS):
            return
        time.sleep(_TICK_SECONDS)


def _state(left: float, *, done: bool, lost: int) -> str:
    if not done:
        return f"{max(left, 0):.0f} s to go"
    return "all failures have happened; waiting for the last verdicts" if lost else "every failure is decided"
