"""Lookout: a million runs ingested, of which 240,000 failed, and how fast failures are when all of them are stored.

Run events and job events come from an event log that is full, through the consumer, into SQLite and a real Postgres.
The full databases are asked what people ask over HTTP, next to SQL that reads the same rows.
Then, in turns, a scheduler and Lookout consume the same failures and the same state reports into new databases, and
Lookout more failures into the full one. The figure is the best of the rounds. The process that ingests does nothing
else, so its memory is what a Lookout takes. ``--runs`` and ``--quick`` take fewer runs; ``--keep FOLDER`` keeps the
SQLite database; ``--profile`` prints where the time goes; ``--json`` prints one line of JSON last. Exits 1 below a
target, or if a server is not prepared (``make servers``).
"""

import gc
import itertools
import os
import sqlite3
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from sqlalchemy import make_url

from agent.broker.port import Message
from agent.core.failure import Failure
from agent.lookout.store.opening import attach_store
from agent.lookout.store.tables import metadata
from agent.telemetry.logs import configure
from bench.consume import Course, Figure, samples
from bench.consume import measure as consumed_by_scheduler
from bench.peer.asking import Asked, ask, held, shown
from bench.peer.ingesting import FullLog, Ingested, Ingester
from bench.peer.places import Broker, Database, NotThere, Places, started
from bench.peer.topic import TOPIC
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_least, at_most
from bench.report.size import Size, sizes
from bench.sample.events import failures, state_reports
from bench.sample.histories import RUNS_OF_20_JOBS, SEED, events_of, published
from bench.sample.reasons import varied
from tests.servers.cache import Cache, cache_folder

RUNS, QUICK_RUNS = 1_000_000, 50_000
ROUNDS, QUICK_ROUNDS = 3, 1
REQUESTS, QUICK_REQUESTS = 200, 30
LEAST_FAILURES: Final = 2000.0
LEAST_BESIDE_SCHEDULER: Final = 1.0
MOST_MB: Final = 250.0
MOST_GROWTH: Final = 1.2
_REASONS: Final = 2_000
_CHUNK: Final = 100_000
"""Messages that are published before they are ingested."""
_FAILURES: Final = "failures"
_KINDS: Final = {"state reports": 21_000, _FAILURES: 6_000}
"""How many of each kind are consumed in a round; state reports of whole runs, three each."""


@dataclass(slots=True, kw_only=True)
class Found:
    """What was measured on one kind of database: the parts of the filling, then the best of each kind of message.

    ``new`` and ``scheduler`` are into new databases, ``full`` is failures into the one that was filled.
    """

    filling: list[Ingested] = field(default_factory=list)
    full: Ingested | None = None
    new: dict[str, Ingested] = field(default_factory=dict)
    scheduler: dict[str, Figure] = field(default_factory=dict)
    sizes: Mapping[str, Size] = field(default_factory=dict)
    asked: Sequence[Asked] = ()

    @property
    def growth(self) -> float:
        """Memory at the end beside that after a tenth of the messages."""
        return self.filling[-1].now_mb / self.filling[len(self.filling) // 10].now_mb

    @property
    def filled(self) -> Ingested:
        """The whole filling as one."""
        messages, seconds, cpu = (
            sum(getattr(part, name) for part in self.filling) for name in ("messages", "seconds", "cpu_seconds")
        )
        last = self.filling[-1]
        return Ingested(messages=messages, seconds=seconds, cpu_seconds=cpu, peak_mb=last.peak_mb, now_mb=last.now_mb)


class Bench:
    """The places of one measurement, the process that ingests, and the addresses of the databases that are filled."""

    def __init__(self, places: Places, ingester: Ingester, databases: Sequence[Database], *, folder: Path) -> None:
        self.found = {database: Found() for database in databases}
        self.urls = {database: places.store(database) for database in databases}
        self._places = places
        self._ingester = ingester
        self._folder = folder

    def fill(self, sent: Iterator[tuple[str, Message]]) -> None:
        """Ingest all messages, a part of them at a time, into each database in turn."""
        began, done = time.monotonic(), 0
        while part := list(itertools.islice(sent, _CHUNK)):
            log = FullLog.of(part, folder=self._folder)
            for database, url in self.urls.items():
                self.found[database].filling.append(self._ingester.ingest(log, url))
            log.remove()
            done += len(part)
            rates = ", ".join(f"{name} {found.filling[-1].per_second:,.0f}/s" for name, found in self.found.items())
            _show(f"{done:,} messages, {time.monotonic() - began:.0f} s: {rates}")

    def compare(self, rounds: int) -> None:
        """Each kind of message alone."""
        parts = _parts(rounds)
        gc.freeze()  # a scheduler has no messages of hours in memory for the collector to look through
        for kind, messages in parts.items():
            for part in messages:
                log = FullLog.of(((TOPIC, message) for message in part), folder=self._folder)
                for database in self.urls:
                    self._compare(kind, log, part, database)
                log.remove()

    def _compare(self, kind: str, log: FullLog, messages: Sequence[Message], database: Database) -> None:
        found, places = self.found[database], self._places
        course = Course(kind=kind, broker=Broker.EVENT_LOG, database=database)
        ours = self._ingester.ingest(log, places.store(database))
        theirs = consumed_by_scheduler(course, messages, places, profile=None)
        found.new[kind] = faster(ours, found.new.get(kind))
        found.scheduler[kind] = max(theirs, found.scheduler.get(kind, theirs))
        _show(f"{kind}, {database}: {ours.per_second:,.0f}/s, scheduler {theirs.per_second:,.0f}/s")
        if kind == _FAILURES:
            found.full = faster(self._ingester.ingest(log, self.urls[database]), found.full)
            _show(f"{kind}, full {database}: {found.full.per_second:,.0f}/s at best")


def faster(first: Ingested, second: Ingested | None) -> Ingested:
    """The faster of two."""
    return first if second is None or first.per_second > second.per_second else second


def _parts(rounds: int) -> dict[str, list[list[Message]]]:
    """The messages of each kind and round; none comes twice into the full database."""
    made = {
        "state reports": state_reports(_KINDS["state reports"] * rounds),
        _FAILURES: failures(_KINDS[_FAILURES] * rounds, reasons()),
    }
    return {
        kind: [list(itertools.islice(messages, _KINDS[kind])) for _ in range(rounds)] for kind, messages in made.items()
    }


def reasons() -> list[Failure]:
    """The failures that runs are given."""
    return list(varied(_REASONS, samples(), seed=SEED))


def measure(given: Namespace, places: Places, folder: Path) -> dict[Database, Found]:
    """Fill each database, look at what is stored, and compare. Raises NotThere."""
    with Ingester(folder=folder, profile=given.profile) as ingester:
        databases = [database for database in Database if given.database in (None, database)]
        bench = Bench(places, ingester, databases, folder=folder)
        bench.fill(itertools.starmap(published, enumerate(events_of(given.runs, reasons()))))
        for database, url in bench.urls.items():
            bench.found[database].sizes = _sizes(url)
            bench.found[database].asked = ask(url, number=QUICK_REQUESTS if given.quick else REQUESTS)
        if given.keep is not None and Database.SQLITE in bench.urls:
            _keep(bench.urls[Database.SQLITE], given.keep, given.runs)
        bench.compare(QUICK_ROUNDS if given.quick else ROUNDS)
        if given.profile:
            ingester.show_profile()
    return bench.found


def _sizes(url: str) -> dict[str, Size]:
    with attach_store(url) as store, store.read() as connection:
        return sizes(connection, metadata)


def _keep(url: str, folder: Path, runs: int) -> None:
    """Copy a SQLite database, whole and without gaps, while nobody writes."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"lookout-{runs}.db"
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(str(make_url(url).database))) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))


def _show(done: str) -> None:
    print(done, file=sys.stderr, flush=True)


def table(found: Mapping[Database, Found], *, runs: int) -> Iterator[str]:
    """The figures as lines for people."""
    for database, figures in found.items():
        filled, stored = figures.filled, sum(size.whole for size in figures.sizes.values())
        yield (
            f"{database}: {filled.messages:,} messages of {runs:,} runs in {filled.seconds:,.0f} s:"
            f" {filled.per_second:,.0f}/s, the first {figures.filling[0].per_second:,.0f}/s,"
            f" the last {figures.filling[-1].per_second:,.0f}/s;"
            f" {filled.cpu_per_1000:.3f} s of processor for 1,000"
        )
        yield f"  memory {filled.peak_mb:.0f} MB at most, {figures.growth:.2f} times what it was after a tenth"
        yield f"  stored {stored / 1e6:,.0f} MB, {stored / runs:,.0f} bytes a run"
        for name, size in sorted(figures.sizes.items(), key=lambda named: -named[1].whole):
            yield (
                f"    {name:<16}{size.rows:>12,} rows {size.table / 1e6:>10,.1f} MB,"
                f" indexes {size.indexes / 1e6:>10,.1f} MB"
            )
        yield from shown(figures.asked)
        for kind, ours in figures.new.items():
            theirs = figures.scheduler[kind]
            yield (
                f"  {kind}: {ours.per_second:,.0f}/s, scheduler {theirs.per_second:,.0f}/s; processor for 1,000:"
                f" {ours.cpu_per_1000:.3f} s, scheduler {theirs.cpu_per_1000:.3f} s"
            )
        if figures.full is not None:
            full = figures.full
            yield f"  failures, full: {full.per_second:,.0f}/s; processor for 1,000: {full.cpu_per_1000:.3f} s"


def verdicts(found: Mapping[Database, Found]) -> Iterator[Held]:
    """What is held to targets."""
    for database, figures in found.items():
        if figures.full is not None:
            rate = figures.full.per_second
            yield at_least(f"failures -> full {database}", rate, target=LEAST_FAILURES, unit="a second")
        for kind, ours in figures.new.items():
            ratio = ours.per_second / figures.scheduler[kind].per_second
            yield at_least(f"{kind} -> {database}, beside the scheduler", ratio, target=LEAST_BESIDE_SCHEDULER)
        yield from held(figures.asked, database)
        yield at_most(f"memory, {database}", figures.filled.peak_mb, target=MOST_MB, unit="MB")
        yield at_most(f"memory, {database}, beside that after a tenth", figures.growth, target=MOST_GROWTH)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = _parser().parse_args(arguments)
    given.runs = given.runs or (QUICK_RUNS if given.quick else RUNS)
    configure("error", "json")
    try:
        with (
            TemporaryDirectory(prefix="bench-") as folder,
            started(Path(folder), cache=Cache(cache_folder(os.environ))) as places,
        ):
            found = measure(given, places, Path(folder))
    except NotThere as why:
        return report_not_run(why, given=given)
    print("\n".join(table(found, runs=given.runs)))
    return report(list(verdicts(found)), _figures(found), given=given)


def _figures(found: Mapping[Database, Found]) -> dict[str, object]:
    return {
        database.value: {
            "filled": msgspec.to_builtins(figures.filled),
            "full": msgspec.to_builtins(figures.full),
            "new": msgspec.to_builtins(figures.new),
            "scheduler": {kind: asdict(figure) for kind, figure in figures.scheduler.items()},
            "sizes": {name: asdict(size) for name, size in figures.sizes.items()},
            "asked": [{**asdict(asked), "beside_sql": asked.beside_sql} for asked in figures.asked],
        }
        for database, figures in found.items()
    }


def _parser() -> ArgumentParser:
    parser = options(__doc__, quick=f"{QUICK_RUNS:,} runs and one round")
    parser.add_argument("--runs", type=_runs, metavar="NUMBER", help=f"instead of {RUNS:,}")
    parser.add_argument("--database", type=Database, choices=list(Database), help="only this database")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the SQLite database there")
    parser.add_argument("--profile", action="store_true", help="print where the time goes; it makes it longer")
    return parser


def _runs(text: str) -> int:
    """A number of runs of whole jobs."""
    return -(-int(text) // RUNS_OF_20_JOBS) * RUNS_OF_20_JOBS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
