"""Pages: how soon Lookout's page of jobs has its first rows, and how soon after an input those that it asks for.

``failure-agent lookout`` serves a SQLite database with the pages that ``make ui`` built, to the Chromium of the
distribution, which has no cache. Each input is at an address of its own, so no answer is known before. What an input
takes counts from the last key or click; a text that is typed ends with Enter, so nothing waits for a pause. Next to it
stands the share of the API, which each answer says in ``Server-Timing``.

``--database FILE`` takes a database that there is, as ``bench/lookout.py --keep`` leaves one: take a copy, because a
Lookout works on it. Without it one is made. ``--quick`` makes a smaller one and asks less; ``--json`` prints one line
of JSON last. Exits 1 above a target, or if Chromium or the pages are not there (``make servers``, ``make ui``).
"""

import itertools
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from sqlite3 import connect
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

from playwright.sync_api import Page

from agent.lookout.api.pages import BUILT
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from bench.burst import exact_quantile
from bench.lookout import reasons
from bench.peer.places import NotThere, prepared
from bench.peer.window import Painted, Window, windows
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_most
from bench.sample.histories import RUNS_OF_20_JOBS, events_of
from tests.lookout.process import LookoutProcess, write_settings
from tests.scheduler.path import Place
from tests.servers.cache import Cache, cache_folder
from tests.servers.chromium_program import browser_of
from tests.servers.patience import until
from tests.servers.ports import free_ports

RUNS, QUICK_RUNS = 100_000, 20_000
LOADS, QUICK_LOADS = 10, 3
INPUTS, QUICK_INPUTS = 15, 3
"""Of each kind."""

MOST_FIRST_MS: Final = 2_000.0
MOST_INPUT_MS: Final = 300.0
MOST_API_MS: Final = 100.0
_PATIENCE_SECONDS: Final = 60.0
_BATCH: Final = 5_000


class Act(Protocol):
    """What somebody does on a page with a value."""

    def __call__(self, page: Page, value: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Input:
    """An input: what it is, the page before it, SQL for values that differ each time, and what somebody does.

    ``{}`` in the address is the value, and ``{day}`` the last day of the database.
    """

    name: str
    address: str
    values: str
    act: Act


def _some(column: str, where: str = "failed_at IS NOT NULL") -> str:
    """The most frequent values of a column."""
    return f"SELECT {column} FROM job_run WHERE {where} GROUP BY 1 ORDER BY count(*) DESC LIMIT 40"  # noqa: S608 - ours


def _type(label: str, text: str = "{}") -> Act:
    def act(page: Page, value: str) -> None:
        field = page.get_by_label(label, exact=True).and_(page.locator("input"))
        field.fill(text.replace("{}", value))
        field.press("Enter")

    return act


def _press(name: str) -> Act:
    def act(page: Page, value: str) -> None:
        del value  # the address has it
        page.get_by_role("button", name=name, exact=True).click()

    return act


def _sort(heading: str) -> Act:
    def act(page: Page, value: str) -> None:
        del value  # the address has it
        page.locator("th", has_text=heading).get_by_role("button").first.click()

    return act


_DAY: Final = "SELECT DISTINCT day FROM rollup_day WHERE failures > 0 ORDER BY day DESC LIMIT 1 OFFSET 1"
"""The last whole day with failures."""

_QUEUES: Final = _some("queue")
_CATEGORIES: Final = _some("category")

KINDS: Final = (
    Input("filter by category", "/jobs", _CATEGORIES, _type("Category")),
    Input("filter by node", "/jobs?state=any-failure", _some("node"), _type("Node")),
    Input("filter by exit code and queue", "/jobs?exitCode=137", _QUEUES, _type("Queue")),
    Input("search the key lines", "/jobs?queue={}", _QUEUES, _type("Key line contains", "error")),
    Input("still failed", "/jobs?queue={}", _QUEUES, _press("Still failed")),
    Input("recovered", "/jobs?category={}", _CATEGORIES, _press("Recovered")),
    Input("sort by owner", "/jobs?category={}", _CATEGORIES, _sort("Owner")),
    Input("groups of a day", "/jobs?group=category,queue&{day}&queue={}", _QUEUES, _press("Any failure")),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Milliseconds: of first rows, and of the inputs of each kind."""

    first: Sequence[float]
    inputs: Mapping[str, Sequence[Painted]]

    def figures(self) -> dict[str, Any]:
        kinds = {name: _quantiles([sample.whole for sample in painted]) for name, painted in self.inputs.items()}
        api = {name: _quantiles([sample.api for sample in painted]) for name, painted in self.inputs.items()}
        return {"first_rows_ms": _quantiles(self.first), "inputs_ms": kinds, "api_ms": api}


def _quantiles(times: Sequence[float]) -> dict[str, float]:
    return {"p50": exact_quantile(times, 0.5), "p99": exact_quantile(times, 0.99)}


def measure(database: Path, browser: Path, folder: Path, *, loads: int, inputs: int) -> Found:
    """Serve a database, and look at it."""
    (port,) = free_ports(1)
    place = replace(Place.in_files(folder), store_url=f"sqlite:///{database}")
    with ExitStack() as running:
        settings = write_settings(folder, place, api={"port": port})
        lookout = LookoutProcess(settings, log=folder / "lookout.log")
        running.callback(lookout.end)
        until(lookout.is_ready, seconds=_PATIENCE_SECONDS, what="Lookout is ready")
        window = running.enter_context(windows(browser, f"http://127.0.0.1:{port}"))
        window.first_rows("/jobs")  # what the server does only once
        first = [window.first_rows("/jobs") for _ in range(loads)]
        return Found(first, {kind.name: list(_painted(window, kind, database, inputs)) for kind in KINDS})


def _painted(window: Window, kind: Input, database: Path, number: int) -> Iterator[Painted]:
    with closing(connect(f"file:{database}?mode=ro", uri=True)) as connection:
        values = [str(value) for (value,) in connection.execute(kind.values)]
        (day,) = connection.execute(_DAY).fetchone()
    bounds = f"since={day[:10]}T00:00:00Z&until={day[:10]}T23:59:59Z"
    for value in itertools.islice(itertools.cycle(values), number):
        address = kind.address.replace("{day}", bounds).replace("{}", value)
        yield window.painted(address, partial(kind.act, value=value))


def make(folder: Path, runs: int) -> Path:
    """A new database with this many runs."""
    file = folder / "made.db"
    events = events_of(-(-runs // RUNS_OF_20_JOBS) * RUNS_OF_20_JOBS, reasons())
    with open_store(f"sqlite:///{file}") as store:
        while batch := list(itertools.islice(events, _BATCH)):
            with store.write() as connection:
                record(connection, batch)
    return file


def table(figures: Mapping[str, Any]) -> Iterator[str]:
    """The figures as lines for people."""
    first = figures["first_rows_ms"]
    yield f"first rows: {first['p50']:.0f} ms, 99 of 100 within {first['p99']:.0f} ms"
    for name, whole in figures["inputs_ms"].items():
        api = figures["api_ms"][name]
        yield (
            f"  {name:<32}{whole['p50']:>6.0f} ms, 99 of 100 within {whole['p99']:>5.0f} ms;"
            f" of these the API {api['p50']:>4.0f} and {api['p99']:>5.0f} ms"
        )


def verdicts(figures: Mapping[str, Any]) -> Iterator[Held]:
    """What is held to targets: the first rows, and of each kind of input the median."""
    yield at_most("first rows, 99 of 100", figures["first_rows_ms"]["p99"], target=MOST_FIRST_MS, unit="ms")
    for name, whole in figures["inputs_ms"].items():
        yield at_most(f"{name}, to painted rows", whole["p50"], target=MOST_INPUT_MS, unit="ms")
        yield at_most(f"{name}, in the API", figures["api_ms"][name]["p50"], target=MOST_API_MS, unit="ms")


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = _parser().parse_args(arguments)
    try:
        browser = _browser()
    except NotThere as why:
        return report_not_run(why, given=given)
    with TemporaryDirectory(prefix="bench-") as folder:
        figures = _found(given, browser, Path(folder)).figures()
    print("\n".join(table(figures)))
    return report(list(verdicts(figures)), figures, given=given)


def _browser() -> Path:
    """The program of the browser, if there are pages for it. Raises NotThere."""
    if not (BUILT / "index.html").is_file():
        raise NotThere("the pages are not built: `make ui` does that")
    return browser_of(prepared("chromium", Cache(cache_folder(os.environ))))


def _found(given: Namespace, browser: Path, folder: Path) -> Found:
    database = given.database or make(folder, QUICK_RUNS if given.quick else RUNS)
    loads, inputs = (QUICK_LOADS, QUICK_INPUTS) if given.quick else (LOADS, INPUTS)
    return measure(database.resolve(), browser, folder, loads=loads, inputs=inputs)


def _parser() -> ArgumentParser:
    parser = options(__doc__, quick=f"{QUICK_RUNS:,} runs, {QUICK_LOADS} loads and {QUICK_INPUTS} inputs of each kind")
    parser.add_argument("--database", type=Path, metavar="FILE", help="a copy of a database of Lookout to look at")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
