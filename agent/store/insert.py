"""Inserting rows that may be there already."""

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_ignoring(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that leaves a row with the same primary key as it is."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()
