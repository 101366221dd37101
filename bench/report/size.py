"""How large the tables of a database are, and their indexes."""

from dataclasses import dataclass

from sqlalchemy import Connection, MetaData, Table, func, select, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A table: its rows, and the bytes of it and of all its indexes. SQLite's key of a table is among the indexes."""

    rows: int
    table: int
    indexes: int

    @property
    def whole(self) -> int:
        return self.table + self.indexes


def sizes(connection: Connection, metadata: MetaData) -> dict[str, Size]:
    """The size of each table that has rows."""
    found = {table.name: _size(connection, table) for table in metadata.tables.values()}
    return {name: size for name, size in found.items() if size.rows}


def _size(connection: Connection, table: Table) -> Size:
    rows = connection.scalar(select(func.count()).select_from(table)) or 0
    own, indexes = (_on_sqlite if connection.dialect.name == "sqlite" else _on_postgres)(connection, table.name)
    return Size(rows=rows, table=own, indexes=indexes)


def _on_sqlite(connection: Connection, table: str) -> tuple[int, int]:
    # Pages are counted: the sum of their sizes is one of 32 bits, which a table of 2 GB overflows.
    query = text(
        "SELECT s.type, sum(p.pageno) * (SELECT page_size FROM pragma_page_size)"
        " FROM dbstat AS p JOIN sqlite_schema AS s ON s.name = p.name"
        " WHERE s.tbl_name = :table AND p.aggregate = TRUE GROUP BY s.type"
    )
    found = {kind: int(size) for kind, size in connection.execute(query, {"table": table})}
    return found.get("table", 0), found.get("index", 0)


def _on_postgres(connection: Connection, table: str) -> tuple[int, int]:
    query = text("SELECT pg_table_size(CAST(:table AS regclass)), pg_indexes_size(CAST(:table AS regclass))")
    own, indexes = connection.execute(query, {"table": table}).one()
    return int(own), int(indexes)
