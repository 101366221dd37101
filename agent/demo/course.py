"""Course: how a demo goes. Start the parts, watch until all is decided, and say what came of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agent.demo.layout import CLUSTERS, Layout
from agent.demo.parts import Parts
from agent.demo.readings import Decision, read_decisions, read_record, served_url, simulators_done
from agent.demo.tally import Tally, tally
from agent.demo.view import View
from agent.store.errors import StoreError
from agent.store.store import Store

_START_SECONDS = 30.0
_TICK_SECONDS = 0.25
_DRAIN_SECONDS = 60.0


class PartFailed(Exception):
    """A part did not come up; the message says which, and where its log is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOutcome:
    """What came of a demo."""

    tally: Tally
    restarts: int


def run_demo(layout: Layout, *, seconds: float, view: View) -> DemoOutcome:
    """Run all parts for ``seconds``, then until everything that failed is decided. Raises PartFailed."""
    with Parts(layout.pids) as parts:
        urls = _start_clusters(layout, parts, seconds=seconds)
        parts.start(layout.scheduler())
        for cluster, url in urls.items():
            parts.start(layout.agent(cluster, url=url))
        with _attached(layout, parts) as store, view:
            seen = _Seen(layout, store)
            _watch(seen, parts, urls=urls, seconds=seconds, view=view)
            return DemoOutcome(tally=seen.tally(), restarts=parts.restarts)


class _Seen:
    """What was seen so far; verdicts are read once, as they come."""

    def __init__(self, layout: Layout, store: Store) -> None:
        self._layout = layout
        self._store = store
        self._last: datetime | None = None
        self.decisions: dict[str, Decision] = {}

    def read(self) -> list[Decision]:
        """The verdicts that were not there before."""
        found = read_decisions(self._store, since=self._last)
        fresh = [one for one in found if one.run_id not in self.decisions]
        self.decisions |= {one.run_id: one for one in fresh}
        self._last = max((one.decided_at for one in found), default=self._last)
        return fresh

    def tally(self) -> Tally:
        """The figures as they stand."""
        ended = [row for cluster in CLUSTERS for row in read_record(self._layout.record(cluster))]
        return tally(ended, (one.as_decided() for one in self.decisions.values()))


def _start_clusters(layout: Layout, parts: Parts, *, seconds: float) -> Mapping[str, str]:
    """Both simulators, and where each serves."""
    for seed, cluster in enumerate(CLUSTERS, start=1):
        parts.start(layout.simulator(cluster, seconds=seconds, seed=seed))
    return {cluster: _served(layout, cluster) for cluster in CLUSTERS}


def _served(layout: Layout, cluster: str) -> str:
    log = layout.folder / "logs" / f"simulator-{cluster}.log"
    deadline = time.monotonic() + _START_SECONDS
    while (url := served_url(log)) is None:
        if time.monotonic() > deadline:
            raise PartFailed(f"the simulator of {cluster} did not come up; see {log}")
        time.sleep(_TICK_SECONDS / 5)
    return url


def _attached(layout: Layout, parts: Parts) -> Store:
    """The store, once the scheduler has made it."""
    deadline = time.monotonic() + _START_SECONDS
    while True:
        parts.tend()
        try:
            return Store.attach(layout.store_url)
        except StoreError as error:
            if time.monotonic() > deadline:
                raise PartFailed(f"the scheduler did not come up: {error}; see {layout.folder / 'logs'}") from error
        time.sleep(_TICK_SECONDS)


def _watch(seen: _Seen, parts: Parts, *, urls: Mapping[str, str], seconds: float, view: View) -> None:
    """Show verdicts until the simulators are done and nothing is left to decide, or nothing moves any more."""
    started = moved = time.monotonic()
    done = False
    while True:
        parts.tend()
        fresh = seen.read()
        tally_now = seen.tally()
        now = time.monotonic()
        done = done or (now - started >= seconds and simulators_done(urls.values()))
        left = max(seconds - (now - started), 0)
        state = "all failures have happened; waiting for the last verdicts" if done else f"{left:.0f} s to go"
        view.show(list(seen.decisions.values()), fresh=fresh, tally=tally_now, state=state)
        if fresh or not done:
            moved = now
        if done and (not tally_now.lost or now - moved > _DRAIN_SECONDS):
            return
        time.sleep(_TICK_SECONDS)
