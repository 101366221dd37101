"""The files of the version before jobs could be submitted, as ``make`` left them: store, event log, and spool."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, create_engine, inspect, select

from agent.store import resources, rule_sets
from agent.store.tables.failures import info_table
from agent.store.tables.failures import table as failure_table
from agent.store.tables.jobs import table as job_table
from agent.store.tables.runs import table as run_table
from agent.store.tables.verdicts import table as verdict_table
from tests.store.earlier import earlier, insert_earlier

REVISION: Final = "0008"
"""Of its store."""

RUNS: Final = tuple(f"run-{number}" for number in range(8))
"""All runs that failed: of the first four the store knows, of two only the log, of two only the spool."""

DECIDED: Final = {"run-0": "retry", "run-1": "retry", "run-2": "fail", "run-3": "fail"}
"""The verdicts in the store."""

UNDECIDED: Final = dict.fromkeys(RUNS[4:], "retry")
"""The verdicts on the others, by the policies in the store. Each is a job's first failure."""

_FOLDER: Final = Path(__file__).parent
_TABLES: Final = (
    failure_table,
    info_table,
    job_table,
    run_table,
    verdict_table,
    rule_sets.table,
    resources.table,
    resources.history,
)


def restore(name: str, file: Path) -> None:
    """Make the database ``store``, ``log`` or ``spool`` again."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as database:
        database.executescript((_FOLDER / f"{name}.sql").read_text())


def restore_store(url: str, folder: Path) -> None:
    """Make the store again, in whichever database."""
    if url.startswith("sqlite"):
        restore("store", Path(url.removeprefix("sqlite:///")))
        return
    restore("store", folder / "earlier.db")
    source = create_engine(f"sqlite:///{folder}/earlier.db")
    with source.connect() as before, earlier(url, REVISION) as connection:
        _copy(before, connection)
    source.dispose()


def _copy(source: Connection, target: Connection) -> None:
    for table in _TABLES:
        names = [column["name"] for column in inspect(source).get_columns(table.name)]
        columns = [table.c[name] for name in names]
        rows = source.execute(select(*columns)).mappings()
        insert_earlier(target, table, [dict(row) for row in rows])
