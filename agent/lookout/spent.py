"""The time that one request spends in the database, for its ``Server-Timing``."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Spent:
    """Seconds, added up by the threads that work for a request."""

    database: float = 0.0


SPENT: Final[ContextVar[Spent | None]] = ContextVar("spent", default=None)
"""What is spent for the current request; ``None`` outside of one."""


@contextmanager
def in_database() -> Iterator[None]:
    """Count the time inside as the database's."""
    began = time.perf_counter()
    try:
        yield
    finally:
        if (spent := SPENT.get()) is not None:
            spent.database += time.perf_counter() - began
