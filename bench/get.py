"""Finding: every list by every filter, and every form of an identifier, in a store of a million runs, on each database.

About a quarter of the runs failed. The figure of a question is the median over the values that it is asked with; rare
values, and filters that no index answers, are among them. Beside it stands what the newest jobs of a queue cost on
tables without a row for each job. ``--quick`` takes a tenth of the runs; ``--json`` prints one line of JSON last. Exits
1 if the slowest question misses its target, or if a server is not prepared (``make servers``).
"""

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumType
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from sqlalchemy import func, select

from agent.store.records.filters import (
    LISTS,
    FailureFilter,
    Filter,
    JobFilter,
    VerdictFilter,
    filters_of,
    read_details,
)
from agent.store.records.port import Records
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from agent.store.tables.runs import table as run
from bench.peer.places import Database, NotThere, started
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_most
from bench.sample.records import Sample, fill
from tests.servers.cache import Cache, cache_folder

RUNS, QUICK_RUNS = 1_000_000, 100_000
MOST_MS: Final = 200.0
ROUNDS: Final = 3

Ask = Callable[[Records], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and the same one with other values."""

    name: str
    asks: Sequence[Ask]


def questions(sample: Sample) -> Iterator[Question]:
    """Every list by every filter, two filters of which one has no index, and every form of an identifier."""
    yield from _lists(sample)
    identifiers = {
        "whole job": sample.jobs,
        "whole run": sample.runs,
        "beginning of a job, 20": [job[:20] for job in sample.jobs],
        "end of a job, 8": [job[-8:] for job in sample.jobs],
        "end of a run, 8": [run[-8:] for run in sample.runs],
        "end of a run, 4": [run[-4:] for run in sample.runs],
        "beginning of every job": [sample.jobs[0][:4]],
        "pod": sample.pods,
        "namespace/pod": [f"{sample.namespace_of(pod)}/{pod}" for pod in sample.pods],
        "nothing": ["zzzzzzzz", "none/none"],
    }
    for name, values in identifiers.items():
        yield Question(name=f"id: {name}", asks=[_named(value) for value in values])


def _lists(sample: Sample) -> Iterator[Question]:
    for kind, wanted in LISTS.items():
        yield Question(name=kind, asks=[_asked(kind, wanted())])
        for field in filters_of(kind):
            for name, some in _values(field, sample).items():
                asks = [_asked(kind, wanted(**{field.name: value})) for value in some]
                yield Question(name=f"{kind} by {name.replace('_', ' ')}", asks=asks)
    values = {field.name: _values(field, sample)[field.name] for field in filters_of("jobs")}
    for kind, wanted in (("jobs", JobFilter), ("failures", FailureFilter), ("verdicts", VerdictFilter)):
        both = [wanted(queue=queue, category=name) for queue in values["queue"] for name in values["category"]]
        yield Question(name=f"{kind} by queue and category, a page", asks=[_asked(kind, filters) for filters in both])
    for kind, wanted in (("failures", FailureFilter), ("verdicts", VerdictFilter)):
        details = [read_details(["resource=cpu", claim]) for claim in ("claim=claim-7", "claim=none")]
        both = [wanted(queue=queue, detail=detail) for queue in values["queue"] for detail in details]
        yield Question(
            name=f"{kind} by queue and two details, a page", asks=[_asked(kind, filters) for filters in both]
        )


def _values(field: Filter, sample: Sample) -> Mapping[str, Sequence[Any]]:
    """What to ask a filter for, by the name of the question: of a category also one of its parts."""
    if isinstance(field.value, EnumType):
        return {field.name: list(field.value)}
    texts = sample.values[field.name]
    found: dict[str, Sequence[Any]] = {
        field.name: [field.read([text] if field.typed == list[str] else text) for text in texts]
    }
    if field.name == "category":
        found["subcategory"] = [field.read(f"{text}/limit") for text in texts]
    return found


def _named(identifier: str) -> Ask:
    return lambda records: records.named(identifier)


def _asked(kind: str, wanted: object) -> Ask:
    return lambda records: getattr(records, kind)(wanted)


def yesterday(store: Store, queue: object) -> float:
    """Milliseconds for the newest 50 jobs of a queue from a table of runs that has no index for them."""
    at = func.max(run.c.first_occurred_at)
    hidden = func.coalesce(run.c.queue, "") == queue
    query = select(run.c.job_id, at).where(hidden).group_by(run.c.job_id).order_by(at.desc()).limit(50)
    with store.read() as connection:
        began = time.perf_counter()
        connection.execute(query).all()
        return (time.perf_counter() - began) * 1e3


def measure(url: str, number: int) -> dict[str, float]:
    """Milliseconds of each question; ``yesterday`` is the peer's."""
    with Store.open(url) as store:
        sample = fill(store, number, progress=_show)
        records = StoredRecords(store)
        figures = {}
        gc.freeze()
        for question in questions(sample):
            times = [_ms(ask, records) for _ in range(ROUNDS) for ask in question.asks]
            figures[question.name] = median(times)
        figures["yesterday"] = median(yesterday(store, queue) for queue in sample.values["queue"])
    return figures


def _ms(ask: Ask, records: Records) -> float:
    began = time.perf_counter()
    ask(records)
    return (time.perf_counter() - began) * 1e3


def _show(done: str) -> None:
    print(done, file=sys.stderr, flush=True)


def table(figures: dict[str, dict[str, float]]) -> Iterator[str]:
    """The figures as lines: a question, then each database, with a mark where the target is missed."""
    yield f"{'p50 in ms':<36}{''.join(f'{name:>12}' for name in figures)}"
    for question in next(iter(figures.values())):
        row = [figures[name][question] for name in figures]
        missed = question != "yesterday" and max(row) >= MOST_MS
        yield f"{question:<36}{''.join(f'{ms:>12.1f}' for ms in row)}{'  MISSED' if missed else ''}"
    for name, found in figures.items():
        ratio = found["yesterday"] / found["jobs by queue"]
        yield f"{name}: the newest jobs of a queue {ratio:,.0f} times as fast as without a row for each job"


def verdicts(figures: dict[str, dict[str, float]]) -> list[Held]:
    """What is held to the target: of each database the question that takes longest."""
    slowest = {
        name: max(ms for question, ms in found.items() if question != "yesterday") for name, found in figures.items()
    }
    return [at_most(f"slowest question, {name}", ms, target=MOST_MS, unit="ms") for name, ms in slowest.items()]


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the target is met."""
    parser = options(__doc__, quick="a tenth of the runs")
    parser.add_argument("--only", default="", metavar="DATABASE", help="only this database")
    given = parser.parse_args(arguments)
    number = QUICK_RUNS if given.quick else RUNS
    figures = {}
    try:
        with (
            TemporaryDirectory(prefix="bench-") as folder,
            started(Path(folder), cache=Cache(cache_folder(os.environ))) as places,
        ):
            for database in (place for place in Database if given.only in place.value):
                figures[database.value] = measure(places.store(database), number)
    except NotThere as why:
        return report_not_run(why, given=given)
    print("\n".join(table(figures)))
    print(f"at {number:,} runs")
    return report(verdicts(figures), figures, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
