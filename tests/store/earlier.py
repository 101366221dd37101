"""Stores of earlier revisions, as their versions left them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from alembic import command
from sqlalchemy import Connection, Table, column, insert, inspect
from sqlalchemy import table as sa_table

from agent.store import migrate
from agent.store.columns import Row
from agent.store.engine import WRITES, make_engine, parse


@contextmanager
def earlier(url: str, revision: str, history: migrate.History = migrate.STORE) -> Iterator[Connection]:
    """A transaction in an empty database with the tables of a revision."""
    engine = make_engine(parse(url))
    with engine.connect().execution_options(**WRITES) as connection, connection.begin():
        command.upgrade(migrate._config(connection, history), revision)
        yield connection
    engine.dispose()


def insert_earlier(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows of today without the columns that their table does not have yet."""
    there = {one["name"] for one in inspect(connection).get_columns(table.name)}
    of_then = sa_table(table.name, *(column(one.name, one.type) for one in table.c if one.name in there))
    connection.execute(insert(of_then), [{name: row[name] for name in there & row.keys()} for row in rows])
