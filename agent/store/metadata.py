"""What all tables share: how their keys and indexes are named. Each is declared beside the functions that know it.

Rows that are read in numbers hold scalars only; what is read one at a time is in a side table.
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
