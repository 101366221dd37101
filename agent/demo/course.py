"""The course of a demo: start the parts, submit jobs, watch until all have ended, and return the figures."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from agent.demo.accounts import decided, stored
from agent.demo.agreement import Agreement, compare
from agent.demo.closing import counts, what_is_left
from agent.demo.jobs import DemoJob, Pace, demo_jobs
from agent.demo.layout import CLUSTERS, NAMESPACES, Layout, scripts_of
from agent.demo.outcome import JobFigures, JobStanding, Witnessed
from agent.demo.parts import Part, Parts
from agent.demo.progress import Progress
from agent.demo.readings import Decision, read_witnessed, served_url
from agent.demo.submitting import Submitter, api_address
from agent.demo.tally import Tally
from agent.demo.view import View
from agent.lookout.store.opening import attach_store
from agent.process.stopping import Stopped
from agent.simulator.script import load_scripts
from agent.store.errors import StoreError
from agent.store.store import Store

DRAIN_SECONDS: Final = 90.0
"""How long the demo waits for the next thing to happen. What got no answer is sent again after a minute."""

LOOKOUT_SECONDS: Final = 60.0
"""How long the demo waits until Lookout has stored what was decided."""

_START_SECONDS: Final = 30.0
_TICK_SECONDS: Final = 0.25
_SEED: Final = 1

_Found = TypeVar("_Found")


class PartFailed(Exception):
    """A part did not start; the message says which, and where its log is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOutcome:
    """``stopped``: by a signal, so that some jobs may not have ended yet, and Lookout has no more to agree with."""

    tally: Tally
    jobs: JobFigures
    decisions: Sequence[Decision]
    standings: Mapping[str, JobStanding]
    restarts: int
    lookout: Agreement | None = None
    stopped: Stopped | None = None

    @property
    def is_sound(self) -> bool:
        agrees = self.lookout is None or not self.lookout.differences
        return self.tally.is_sound and self.jobs.is_sound and agrees


Ended = Callable[[DemoOutcome, Callable[[], None]], None]
"""Takes what came of a demo, and what keeps its parts alive when it is called now and then."""


def run_demo(layout: Layout, *, seconds: float, view: View, began: Callable[[], None], ended: Ended) -> DemoOutcome:
    """Submit jobs for ``seconds``, then wait until all have ended, or until a signal stops it.

    ``began`` is called when everything answers, ``ended`` when all that is left to do is to stop the parts.

    Raises PartFailed, SubmissionRefused, StoreError, OSError if the disk is full, and Stopped before there is anything
    to show.
    """
    with Parts(layout.pids) as parts:
        start = _Start(layout, parts)
        urls = start.clusters()
        submitter = Submitter(_jobs(seconds), address=lambda: api_address(layout.scheduler_log), copy=layout.jobs)
        with start.store() as store:
            start.queues(submitter)
            start.api_of_lookout()  # last: it would slow down those that are waited for
            began()
            progress, agreement, stopped = Progress(layout, store), None, None
            try:
                with view:
                    _watch(progress, submitter, parts, seconds=seconds, view=view)
                with start.lookout() as lookout:
                    agreement = _agreement(layout, parts, store, lookout)
            except Stopped as stop:
                stopped = stop
            outcome = DemoOutcome(
                tally=progress.tally(),
                jobs=progress.figures(missing=_missing(submitter, progress, stopped), witnessed=_witnessed(urls)),
                decisions=progress.decisions,
                standings=progress.standings,
                restarts=parts.restarts,
                lookout=agreement,
                stopped=stopped,
            )
            ended(outcome, parts.restart_dead)
    return outcome


def _missing(submitter: Submitter, progress: Progress, stopped: Stopped | None) -> int:
    """How many jobs the store does not have, though it should."""
    unsent = submitter.waiting if stopped is None else 0
    return unsent + len(submitter.accepted - progress.standings.keys())


def _witnessed(urls: Sequence[str]) -> Witnessed:
    try:
        return read_witnessed(urls)
    except OSError as error:
        raise PartFailed(f"a simulator does not say which containers ran: {error}") from error


class _Start:
    """Starts the parts, each of which has half a minute until it answers. Raises PartFailed."""

    def __init__(self, layout: Layout, parts: Parts) -> None:
        self._layout = layout
        self._parts = parts

    def clusters(self) -> Sequence[str]:
        """Start everything; the URLs of the simulators."""
        simulators = {cluster: self._layout.simulator(cluster) for cluster in CLUSTERS}
        for simulator in simulators.values():
            self._parts.start(simulator)
        self._parts.start(self._layout.scheduler())
        urls = {cluster: self._url(simulator) for cluster, simulator in simulators.items()}
        for cluster, url in urls.items():
            self._parts.start(self._layout.agent(cluster, url=url))
        return list(urls.values())

    def _url(self, simulator: Part) -> str:
        return self._until_found(lambda: served_url(simulator.log), f"the {simulator.name}", simulator.log)

    def store(self) -> Store:
        """The store, once the scheduler has created it."""
        return self._until_found(
            lambda: _attached(Store.attach, self._layout.store_url), "the scheduler", self._layout.scheduler_log
        )

    def lookout(self) -> Store:
        """The database of Lookout, once that has created it."""
        return self._until_found(
            lambda: _attached(attach_store, self._layout.lookout_url), "Lookout", self._layout.lookout_log
        )

    def api_of_lookout(self) -> None:
        """Start Lookout; returns when it answers."""
        self._parts.start(self._layout.lookout())
        log = self._layout.lookout_log
        self._until_found(lambda: api_address(log), "the API of Lookout", log)

    def queues(self, submitter: Submitter) -> None:
        """Create the queues, once the scheduler answers."""
        self._until_found(submitter.create_queues, "the API of the scheduler", self._layout.scheduler_log)

    def _until_found(self, ask: Callable[[], _Found | None], what: str, log: Path) -> _Found:
        deadline = time.monotonic() + _START_SECONDS
        while not (found := ask()):
            self._layout.check_room()
            self._parts.restart_dead()
            if time.monotonic() > deadline:
                raise PartFailed(f"{what} did not start within {_START_SECONDS:g} s; see {log}")
            time.sleep(_TICK_SECONDS / 5)
        return found


def _attached(attach: Callable[[str], Store], url: str) -> Store | None:
    try:
        return attach(url)
    except StoreError:
        return None


def _jobs(seconds: float) -> Sequence[DemoJob]:
    scripts = {cluster: load_scripts(scripts_of(cluster)) for cluster in CLUSTERS}
    rng = random.Random(_SEED)  # noqa: S311 - it must repeat, not surprise
    return demo_jobs(scripts, namespaces=NAMESPACES, seconds=seconds, pace=Pace(), rng=rng)


def _watch(progress: Progress, submitter: Submitter, parts: Parts, *, seconds: float, view: View) -> None:
    """Submit and show until everything has ended and is decided, or nothing has happened for a while."""
    started = moved = time.monotonic()
    while True:
        progress.check_room()
        parts.restart_dead()
        now = time.monotonic()
        if submitter.waiting:
            submitter.submit(elapsed=now - started)
        before, fresh = progress.standings, progress.read()
        figures, left = progress.tally(), seconds - (now - started)
        if fresh or left > 0 or progress.standings != before:
            moved = now
        view.show(
            progress.rows,
            fresh=fresh,
            figures=counts(progress.standings.values()),
            state=what_is_left(left, progress.standings.values(), lost=figures.lost),
        )
        finished = left <= 0 and not (submitter.waiting or progress.unfinished or figures.lost)
        if finished or (left <= 0 and now - moved > DRAIN_SECONDS):
            return
        time.sleep(_TICK_SECONDS)


def _agreement(layout: Layout, parts: Parts, store: Store, lookout: Store) -> Agreement:
    """Compare what Lookout stored, as soon as it is the same; after a while as it is."""
    deadline = time.monotonic() + LOOKOUT_SECONDS
    while True:
        found = compare(decided(store), stored(lookout))
        if not found.differences or time.monotonic() > deadline:
            return found
        layout.check_room()
        parts.restart_dead()
        time.sleep(_TICK_SECONDS)
