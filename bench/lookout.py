"""Lookout: a million runs ingested, of which 240,000 failed, and how fast it ingests when all of them are stored.

Run events and job events come from an event log that is full, through the consumer, into SQLite and a real Postgres.
Then, in turns, a scheduler and Lookout consume the same failures and the same state reports, the scheduler into an
empty store. The figure is the best of the rounds. The process that ingests does nothing else, so its memory is what a
Lookout takes. ``--runs`` and ``--quick`` take fewer runs; ``--keep FOLDER`` keeps the SQLite database; ``--profile``
prints where the time goes; ``--json`` prints one line of JSON last. Exits 1 below a target, or if a server is not
prepared (``make servers``).
"""

import itertools
import os
import sqlite3
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
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
LEAST_FAILURES: Final = 2000.0
LEAST_BESIDE_SCHEDULER: Final = 1.0
MOST_MB: Final = 250.0
MOST_GROWTH: Final = 1.2
_REASONS: Final = 2_000
_CHUNK: Final = 100_000
"""Messages that are published before they are ingested."""
_KINDS: Final = {"state reports": 21_000, "failures": 6_000}
"""How many of each kind are consumed in a round; state reports of whole runs, three each."""


@dataclass(slots=True, kw_only=True)
class Found:
    """What was measured on one database: the parts of the filling, and the best of each kind of message then."""

    filling: list[Ingested] = field(default_factory=list)
    full: dict[str, Ingested] = field(default_factory=dict)
    scheduler: dict[str, Figure] = field(default_factory=dict)
    sizes: Mapping[str, Size] = field(default_factory=dict)

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


Messages = Iterator[tuple[str, Message]]


def fill(
    found: Mapping[Database, Found], ingesters: Mapping[Database, Ingester], sent: Messages, *, folder: Path
) -> None:
    """Ingest all messages, a part of them at a time, into each database in turn."""
    began, done = time.monotonic(), 0
    while part := list(itertools.islice(sent, _CHUNK)):
        log = FullLog.of(part, folder=folder)
        for database, ingester in ingesters.items():
            found[database].filling.append(ingester.ingest(log))
        log.remove()
        done += len(part)
        rates = ", ".join(f"{database} {found[database].filling[-1].per_second:,.0f}/s" for database in ingesters)
        _show(f"{done:,} messages, {time.monotonic() - began:.0f} s: {rates}")


def compare(
    found: Mapping[Database, Found],
    ingesters: Mapping[Database, Ingester],
    places: Places,
    *,
    rounds: int,
    folder: Path,
) -> None:
    """Each kind of message alone: Lookout and a scheduler in turns, into each database."""
    for kind, parts in _parts(rounds).items():
        for part in parts:
            log = FullLog.of(((TOPIC, message) for message in part), folder=folder)
            for database, ingester in ingesters.items():
                ours = ingester.ingest(log)
                course = Course(kind=kind, broker=Broker.EVENT_LOG, database=database)
                theirs = consumed_by_scheduler(course, parts[0], places, profile=None)
                best, scheduler = found[database].full, found[database].scheduler
                best[kind] = max(ours, best.get(kind, ours), key=lambda ingested: ingested.per_second)
                scheduler[kind] = max(theirs, scheduler.get(kind, theirs))
                _show(f"{kind}, {database}: {ours.per_second:,.0f}/s, scheduler {theirs.per_second:,.0f}/s")
            log.remove()


def _parts(rounds: int) -> dict[str, list[list[Message]]]:
    """The messages of each kind and round; a scheduler gets those of the first round each time, into a new store."""
    made = {
        "state reports": state_reports(_KINDS["state reports"] * rounds),
        "failures": failures(_KINDS["failures"] * rounds, reasons()),
    }
    return {
        kind: [list(itertools.islice(messages, _KINDS[kind])) for _ in range(rounds)] for kind, messages in made.items()
    }


def reasons() -> list[Failure]:
    """The failures that runs are given."""
    return list(varied(_REASONS, samples(), seed=SEED))


def measure(given: Namespace, places: Places, folder: Path) -> dict[Database, Found]:
    """Fill each database, compare, and look at what is stored. Raises NotThere."""
    found = {database: Found() for database in Database if given.database in (None, database)}
    urls = {database: places.store(database) for database in found}
    with ExitStack() as running:
        ingesters = {
            database: running.enter_context(Ingester(url, folder=folder, profile=given.profile))
            for database, url in urls.items()
        }
        events = events_of(given.runs, reasons())
        fill(found, ingesters, itertools.starmap(published, enumerate(events)), folder=folder)
        for database, url in urls.items():
            found[database].sizes = _sizes(url)
        if given.keep is not None and Database.SQLITE in urls:
            _keep(urls[Database.SQLITE], given.keep, given.runs)
        compare(found, ingesters, places, rounds=QUICK_ROUNDS if given.quick else ROUNDS, folder=folder)
        for ingester in ingesters.values() if given.profile else ():
            ingester.show_profile()
    return found


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
            f" {filled.cpu_seconds / filled.messages * 1000:.3f} s of processor for 1,000"
        )
        yield f"  memory {filled.peak_mb:.0f} MB at most, {figures.growth:.2f} times what it was after a tenth"
        yield f"  stored {stored / 1e6:,.0f} MB, {stored / runs:,.0f} bytes a run"
        for name, size in sorted(figures.sizes.items(), key=lambda named: -named[1].whole):
            yield (
                f"    {name:<16}{size.rows:>12,} rows {size.table / 1e6:>10,.1f} MB,"
                f" indexes {size.indexes / 1e6:>10,.1f} MB"
            )
        for kind, ours in figures.full.items():
            theirs = figures.scheduler[kind]
            yield (
                f"  {kind}: {ours.per_second:,.0f}/s, scheduler {theirs.per_second:,.0f}/s; processor for 1,000:"
                f" {ours.cpu_seconds / ours.messages * 1000:.3f} s, scheduler {theirs.cpu_per_1000:.3f} s"
            )


def verdicts(found: Mapping[Database, Found]) -> Iterator[Held]:
    """What is held to targets."""
    for database, figures in found.items():
        yield at_least(
            f"failures -> {database}", figures.full["failures"].per_second, target=LEAST_FAILURES, unit="a second"
        )
        for kind, ours in figures.full.items():
            ratio = ours.per_second / figures.scheduler[kind].per_second
            yield at_least(f"{kind} -> {database}, beside the scheduler", ratio, target=LEAST_BESIDE_SCHEDULER)
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
            "scheduler": {kind: asdict(figure) for kind, figure in figures.scheduler.items()},
            "sizes": {name: asdict(size) for name, size in figures.sizes.items()},
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
