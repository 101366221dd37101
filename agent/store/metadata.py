"""Shared by all tables: the naming of their keys and indexes.

The tables of lists are in ``tables``, those of submitted jobs in ``submitted.tables``; every other is declared next to
the functions that use it.

Rows that are read in large numbers have only scalars; what is read one at a time is in a side table.
"""

from typing import Final

from sqlalchemy import MetaData

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
