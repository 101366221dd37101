"""Consuming: broker -> decoded -> decided -> stored, one scheduler in one process, on a topic that is full.

State reports and failures, from a real Pulsar and from the event log, into SQLite and into a real Postgres, in turn
within each round; the figure is the best of the rounds. The scheduler is wired as ``failure-agent scheduler`` is.
``--quick`` takes one round of fewer messages; ``--profile`` prints where the consumer's time goes; ``--json`` prints
one line of JSON last. Exits 1 below a target, or if a server is not prepared (``make servers``).
"""

import cProfile
import gc
import itertools
import os
import pstats
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import func, select

from agent.broker.port import BrokerError, Message
from agent.core.failure import Failure
from agent.scheduler.app import App, build
from agent.scheduler.config.files import configuration_files
from agent.scheduler.consume.handler import SUBSCRIPTION
from agent.store.tables.runs import table as run
from agent.store.tables.verdicts import table as verdict
from agent.telemetry.logs import configure
from agent.wire.failure import decode
from bench.path import RULES, SEED, ours
from bench.peer.deciding import write_settings
from bench.peer.places import Broker, Database, NotThere, Places, started
from bench.peer.topic import publish
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_least
from bench.sample.events import failures, runs_of, state_reports
from bench.sample.pods import watch_lines
from bench.sample.rules import hits, rule_set
from bench.subject.consumed import PATIENCE_SECONDS, Watch
from tests.servers.cache import Cache, cache_folder

TARGETS: Final = {"state reports": 2000.0, "failures": 500.0}
"""A second, by each kind, from every broker into every database."""
MESSAGES: Final = {"state reports": 20_000, "failures": 6_000}
QUICK_MESSAGES: Final = {"state reports": 6_000, "failures": 1_500}
ROUNDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A course: the messages, the broker that they come from, and the store that they go to."""

    kind: str
    broker: Broker
    database: Database

    @property
    def name(self) -> str:
        """The name of the course as the table shows it."""
        return f"{self.kind}, {self.broker} -> {self.database}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Figure:
    """Messages a second; and seconds of this process's processors for 1,000, which hang less on who else is busy."""

    per_second: float
    cpu_per_1000: float


COURSES: Final = tuple(
    Course(kind=kind, broker=broker, database=database)
    for kind, broker, database in itertools.product(TARGETS, Broker, Database)
)


def samples() -> Sequence[Failure]:
    """Failures as the agent summarises those of sample pods."""
    rules = rule_set(RULES, seed=SEED)
    lines = watch_lines(100, hits=hits(rules), seed=SEED)
    path = ours(rules, lines)
    return [decode(path(line)) for line in lines]


def measure(course: Course, messages: Sequence[Message], places: Places, *, profile: cProfile.Profile | None) -> Figure:
    """From the consumer's start until the last is acknowledged. Raises BrokerError."""
    with TemporaryDirectory(prefix="bench-") as folder, ExitStack() as stack:
        file = write_settings(Path(folder), broker=places.broker(course.broker), store=places.store(course.database))
        files = configuration_files(file, {})
        reading = files.read()
        publish(reading.value.settings.broker.url, messages)
        app = build(reading, files, stack)
        watch = Watch(SUBSCRIPTION, len(messages), stop=app.stop)
        cpu, began = time.process_time(), time.perf_counter()
        watch.start()
        with profile or nullcontext():
            app.consumer.run(app.stop)
        watch.join()
        if watch.ended is None:
            raise BrokerError(f"{course.name}: not consumed within {PATIENCE_SECONDS:.0f} s: {app.consumer.check()}")
        _check(app, course, len(messages))
    cpu = time.process_time() - cpu
    return Figure(per_second=len(messages) / (watch.ended - began), cpu_per_1000=cpu / len(messages) * 1000)


def rate(
    courses: Sequence[Course], places: Places, *, quick: bool, profile: cProfile.Profile | None
) -> dict[str, Figure]:
    """The best of each course."""
    numbers = QUICK_MESSAGES if quick else MESSAGES
    ready = {
        "state reports": list(state_reports(numbers["state reports"])),
        "failures": list(failures(numbers["failures"], samples())),
    }
    gc.freeze()  # a scheduler has no messages of hours in memory for the collector to look through
    best: dict[str, Figure] = {}
    for _, course in itertools.product(range(1 if quick else ROUNDS), courses):
        found = measure(course, ready[course.kind], places, profile=profile)
        best[course.name] = max(found, best.get(course.name, found))
    return best


def verdicts(courses: Sequence[Course], rates: Mapping[str, Figure]) -> list[Held]:
    """What is held to targets."""
    return [
        at_least(course.name, rates[course.name].per_second, target=TARGETS[course.kind], unit="a second")
        for course in courses
    ]


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = _parser().parse_args(arguments)
    configure("error", "json")
    profile = cProfile.Profile(time.thread_time) if given.profile else None
    courses = [course for course in COURSES if given.only in course.name]
    try:
        with (
            TemporaryDirectory(prefix="bench-") as folder,
            started(Path(folder), cache=Cache(cache_folder(os.environ))) as places,
        ):
            rates = rate(courses, places, quick=given.quick, profile=profile)
    except NotThere as why:
        return report_not_run(why, given=given)
    for name, found in rates.items():
        print(f"{name}: {found.cpu_per_1000:.2f} s of processor for 1,000")
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
    return report(verdicts(courses, rates), {name: asdict(found) for name, found in rates.items()}, given=given)


def _check(app: App, course: Course, number: int) -> None:
    """Raise BrokerError unless the store has what the messages tell."""
    with app.store.read() as connection:
        runs = connection.scalar(select(func.count()).select_from(run)) or 0
        verdicts = connection.scalar(select(func.count()).select_from(verdict)) or 0
    found = verdicts if course.kind == "failures" else runs
    wanted = number if course.kind == "failures" else runs_of(number)
    if found != wanted:
        raise BrokerError(f"{course.name}: {found} of {wanted} are in the store")


def _parser() -> ArgumentParser:
    parser = options(__doc__, quick="one round of fewer messages")
    parser.add_argument("--only", default="", metavar="WORDS", help="only what is named so, as 'failures, pulsar'")
    parser.add_argument("--profile", action="store_true", help="print where the time goes; it makes it longer")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
