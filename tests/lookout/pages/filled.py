"""A database with a month of runs, which ends a few hours before now: they were stored as Lookout stores them."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from bench.lookout import reasons
from bench.sample.histories import MONTH, events_of

RUNS: Final = 100_000
_BATCH: Final = 5_000
"""Messages in a transaction. Those of a run that are in one are one row."""

_LAST_JOBS: Final = timedelta(hours=5)
"""Two runs of two hours, and what is between them: no job goes on."""


def fill(url: str, *, runs: int = RUNS) -> None:
    """Store what happened to this many runs."""
    events = events_of(runs, reasons(), start=datetime.now(UTC) - MONTH - _LAST_JOBS)
    with open_store(url) as store:
        while batch := list(itertools.islice(events, _BATCH)):
            with store.write() as connection:
                record(connection, batch)


def filled(folder: Path, *, runs: int = RUNS) -> str:
    """The address of a new database in the folder, with this many runs."""
    url = f"sqlite:///{folder / 'store.db'}"
    fill(url, runs=runs)
    return url
