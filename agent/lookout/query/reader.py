"""The one way to what is stored: statements that passed a ``Sight``, within a limit of time."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Select, text
from sqlalchemy.exc import OperationalError

from agent.lookout.query.ids import as_parameter
from agent.lookout.query.refusal import TooSlow
from agent.lookout.query.sight import Sight
from agent.lookout.spent import in_database
from agent.store.store import Store

SECONDS: Final = 10.0
"""How long what is asked for at once may take in the database."""

_STEPS: Final = 20_000
"""Steps of SQLite's machine after which it asks whether to go on; less than a millisecond."""

_CANCELLED: Final = "57014"
_INTERRUPTED: Final = "interrupted"
_SETTINGS: Final = text(
    "SELECT set_config('plan_cache_mode', 'force_custom_plan', true),"  # else that of the sixth use, whatever is asked
    " set_config('jit', 'off', true),"  # it compiles for seconds what runs for a moment
    " set_config('statement_timeout', :timeout, true)"
)
_TIMEOUT: Final = text("SELECT set_config('statement_timeout', :timeout, true)")
_NO_LOOPS: Final = text("SET LOCAL enable_nestloop = off")


Found = Mapping[str, Any]
"""A row that a statement finds."""


class Reader:
    """Reads a store for callers. Safe to share by threads."""

    def __init__(self, store: Store, *, seconds: float = SECONDS) -> None:
        self._store: Final = store
        self._seconds: Final = seconds

    @contextmanager
    def reading(self, sight: Sight) -> Iterator["Reading"]:
        """One state of the store, as a caller sees it.

        Raises StoreUnreachable, and TooSlow where a statement takes longer than the limit.
        """
        with self._store.read() as connection, _limited(connection, self._seconds):
            yield Reading(connection, sight, self._seconds)


class Reading:
    """One state of the store, as a caller sees it."""

    def __init__(self, connection: Connection, sight: Sight, seconds: float) -> None:
        self._connection: Final = connection
        self._sight: Final = sight
        self._seconds: Final = seconds
        self._until: Final = time.monotonic() + seconds
        self._limit = seconds

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self._connection.dialect.name

    def rows(self, statement: Select[Any], **ids: Sequence[str]) -> Sequence[Found]:
        """All rows that a statement finds, by the names of its columns. ``ids`` are parameters that list many."""
        given = {name: as_parameter(listed) for name, listed in ids.items()}
        with in_database():
            try:
                self._limit_what_is_left()
                found = self._connection.execute(self._sight.of(statement), given)
                names = tuple(found.keys())  # by which mappings of SQLAlchemy's own are slower to read
                return [dict(zip(names, row, strict=True)) for row in found.all()]
            except OperationalError as error:
                if not _was_stopped(error):
                    raise
                raise TooSlow(self._seconds) from None

    def _limit_what_is_left(self) -> None:
        """The limit of Postgres is that of one statement. It is set again when a good part of the time has gone."""
        left = self._until - time.monotonic()
        if self.dialect == "postgresql" and self._limit - left > self._seconds / 10:
            self._connection.execute(_TIMEOUT, {"timeout": _timeout(left)})
            self._limit = left

    def join_by_hashing(self) -> None:
        """From now on join tables whole: Postgres takes it that few rows fit conditions whose number it cannot know."""
        if self.dialect == "postgresql":
            self._connection.execute(_NO_LOOPS)

    def number(self, statement: Select[Any]) -> int:
        """The one number that a statement finds."""
        (row,) = self.rows(statement)
        (number,) = row.values()
        return int(number)


def _was_stopped(error: OperationalError) -> bool:
    return getattr(error.orig, "sqlstate", None) == _CANCELLED or str(error.orig) == _INTERRUPTED


def _timeout(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))


@contextmanager
def _limited(connection: Connection, seconds: float) -> Iterator[None]:
    """Stop statements that take longer, all of them together."""
    if connection.dialect.name == "postgresql":
        connection.execute(_SETTINGS, {"timeout": _timeout(seconds)})
        yield
        return
    deadline = time.monotonic() + seconds
    driver: Any = connection.connection.driver_connection
    driver.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)
