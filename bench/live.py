"""Live: how soon a thousand clients that watch a Lookout for changes learn of what is published, and what it costs.

Failures of 50 runs a second are published, each alone, to an event log. ``failure-agent lookout`` is as it is, with its
default settings and SQLite; the clients are raw sockets in a process of their own. A notice counts from the publication
of a failure to the first event that a client gets after the failure is stored, for each failure and each client.

``--quick`` takes fewer seconds; ``--json`` prints one line of JSON last. Exits 1 below a target.
"""

import bisect
import json
import os
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import func, select

from agent.broker.connect import connect
from agent.lookout.ingest.topics import SUBSCRIPTION
from agent.lookout.store.opening import attach_store
from agent.lookout.store.tables import run_table
from agent.store.store import Store
from bench.burst import exact_quantile
from bench.consume import samples
from bench.peer.process import PeerFailed, PeerProcess
from bench.peer.topic import TOPIC
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_most
from bench.sample.events import failures
from tests.lookout.process import LookoutProcess, write_settings
from tests.scheduler.path import Place
from tests.servers.patience import until

CLIENTS: Final = 1_000
PER_SECOND: Final = 50.0
SECONDS, QUICK_SECONDS = 30.0, 8.0
MOST_P99_SECONDS: Final = 2.0
MOST_CORES: Final = 1.0
MOST_MB: Final = 300.0
_PATIENCE_SECONDS: Final = 60.0
_LAST_SECONDS: Final = 4.0
"""How long events are waited for after the last failure."""
_POLL_SECONDS: Final = 0.005
_ROOT: Final = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was measured. ``notices`` are seconds, of each failure at each client."""

    notices: Sequence[float]
    events: float
    """That a client got, on average, a second."""
    cores: float
    peak_mb: float

    def figures(self) -> dict[str, float]:
        return {
            "p50_seconds": exact_quantile(self.notices, 0.5),
            "p99_seconds": exact_quantile(self.notices, 0.99),
            "most_seconds": max(self.notices),
            "events_per_second": self.events,
            "cores": self.cores,
            "peak_mb": self.peak_mb,
        }


class Stored:
    """When each failure was stored, as a reader of the database sees it."""

    def __init__(self, store: Store, number: int) -> None:
        self.times: list[float] = []
        self._store = store
        self._number = number
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wait(self) -> None:
        """Raises TimeoutError unless all are stored."""
        self._thread.join(_PATIENCE_SECONDS)
        if len(self.times) < self._number:
            raise TimeoutError(f"{len(self.times)} of {self._number} failures were stored")

    def _watch(self) -> None:
        counting = select(func.count()).select_from(run_table)
        deadline = time.monotonic() + SECONDS + _PATIENCE_SECONDS
        while len(self.times) < self._number and time.monotonic() < deadline:
            with self._store.read() as connection:
                stored = connection.scalars(counting).one()
            self.times += [time.monotonic()] * (stored - len(self.times))
            time.sleep(_POLL_SECONDS)


def measure(folder: Path, *, seconds: float) -> Found:
    """Raises TimeoutError and PeerFailed."""
    place, number = Place.in_files(folder), round(seconds * PER_SECOND)
    with ExitStack() as running:
        lookout = LookoutProcess(write_settings(folder, place, discover="1s", reload="2s"), log=folder / "log")
        running.callback(lookout.end)
        until(lookout.is_ready, seconds=_PATIENCE_SECONDS, what="Lookout is ready")
        watchers = running.enter_context(PeerProcess(Path(sys.executable), ["-m", "bench.peer.watchers"], folder=_ROOT))
        watchers.ask(json.dumps({"port": api_port(lookout), "clients": CLIENTS}))
        stored = Stored(running.enter_context(attach_store(place.store_url)), number)
        stored.start()
        answers: list[list[list[float]]] = []
        watching = threading.Thread(target=lambda: answers.append(watchers.ask(json.dumps(seconds + _LAST_SECONDS))))
        watching.start()
        began, used = time.monotonic(), cpu_seconds(lookout.pid)
        published = publish(place.broker_url, number)
        cores = (cpu_seconds(lookout.pid) - used) / (time.monotonic() - began)
        stored.wait()
        watching.join(_PATIENCE_SECONDS)
        if not answers:
            raise PeerFailed("the clients did not answer")
        return Found(
            notices=list(notices(published, stored.times, answers[0])),
            events=sum(map(len, answers[0])) / CLIENTS / (seconds + _LAST_SECONDS),
            cores=cores,
            peak_mb=peak_mb(lookout.pid),
        )


def publish(url: str, number: int) -> list[float]:
    """Publish so many failures, each alone, and return when each was."""
    published = []
    with closing(connect(url)) as broker:
        broker.ensure_subscription(TOPIC, SUBSCRIPTION)
        producer = broker.producer(TOPIC, name="agent/bench", exclusive=True)
        began = time.monotonic()
        for index, message in enumerate(failures(number, samples())):
            time.sleep(max(0.0, began + index / PER_SECOND - time.monotonic()))
            published.append(time.monotonic())
            producer.send(message, sequence_id=index + 1, done=lambda _: None)
        producer.flush(_PATIENCE_SECONDS)
        producer.close()
    return published


def notices(
    published: Sequence[float], stored: Sequence[float], arrivals: Sequence[Sequence[float]]
) -> Iterator[float]:
    """How long each client waited for an event after each failure was stored. Raises TimeoutError without one."""
    for times in arrivals:
        for began, done in zip(published, stored, strict=True):
            place = bisect.bisect_left(times, done)
            if place == len(times):
                raise TimeoutError("a client got no event after a failure was stored")
            yield times[place] - began


def api_port(lookout: LookoutProcess) -> int:
    """The port that the log names."""
    return next(int(line["port"]) for line in lookout.logged() if line["event"] == "the API is served")


def cpu_seconds(pid: int) -> float:
    """Processor time of a process (proc(5): utime and stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    """Resident memory of a process at its highest (proc(5): VmHWM)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM"))


def verdicts(figures: dict[str, float]) -> list[Held]:
    """What is held to targets."""
    return [
        at_most(f"notice, p99 of {CLIENTS:,} clients", figures["p99_seconds"], target=MOST_P99_SECONDS, unit="s"),
        at_most(f"processor, {CLIENTS:,} clients", figures["cores"], target=MOST_CORES, unit="cores"),
        at_most(f"memory, {CLIENTS:,} clients", figures["peak_mb"], target=MOST_MB, unit="MB"),
    ]


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = _parser().parse_args(arguments)
    try:
        with TemporaryDirectory(prefix="bench-") as folder:
            found = measure(Path(folder), seconds=QUICK_SECONDS if given.quick else SECONDS)
    except (TimeoutError, PeerFailed) as why:
        return report_not_run(why, given=given)
    figures = found.figures()
    print(
        f"{CLIENTS:,} clients, {PER_SECOND:.0f} failures a second: noticed after {figures['p50_seconds']:.2f} s (p50),"
        f" {figures['p99_seconds']:.2f} s (p99), {figures['most_seconds']:.2f} s at most;"
        f" {figures['events_per_second']:.2f} events a second each;"
        f" {figures['cores']:.2f} cores, {figures['peak_mb']:.0f} MB at most"
    )
    return report(verdicts(figures), figures, given=given)


def _parser() -> ArgumentParser:
    return options(__doc__, quick=f"{QUICK_SECONDS:.0f} instead of {SECONDS:.0f} seconds")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
