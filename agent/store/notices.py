"""Notices between the processes that share a database on Postgres (NOTIFY and LISTEN). On SQLite there are none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, text

from agent.store.errors import StoreUnreachable
from agent.store.store import Store

LONGEST: Final = 7_999
"""Bytes of a notice: Postgres takes fewer than 8,000."""

_NOTIFY: Final = text("SELECT pg_notify(:channel, :notice)")


def notify(connection: Connection, channel: str, notice: str) -> None:
    """Send a notice when the transaction is committed; never if it is not."""
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY, {"channel": channel, "notice": notice})


@contextmanager
def listening(store: Store, channel: str) -> Iterator["Notices"]:
    """Hear what is sent from now on. Raises StoreUnreachable, also while it is entered."""
    try:
        with store.session() as connection:
            connection.exec_driver_sql(f'LISTEN "{channel}"')
            driver: Any = connection.connection.dbapi_connection  # detached, it has no driver_connection
            yield Notices(driver)
    except psycopg.Error as error:
        raise StoreUnreachable(str(error).partition("\n")[0]) from None


class Notices:
    """Those of one channel, in the order of commits."""

    def __init__(self, driver: "psycopg.Connection[Any]") -> None:
        self._driver: Final = driver

    def within(self, seconds: float) -> Iterator[str]:
        """Those that come in this time."""
        for notice in self._driver.notifies(timeout=seconds):
            yield notice.payload
