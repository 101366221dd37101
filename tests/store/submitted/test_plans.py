"""What events, the pass and the publisher ask is answered by an index, however many jobs there are."""

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, event, text

from agent.store import outbox, run_lists, verdicts
from agent.store.store import Store
from agent.store.submitted import held, lookup, pending, requests
from agent.store.submitted.lookup import Due
from tests.core.lifecycle.made import T0

DUE = Due(job_id="j", priority=0.0, submitted_at=T0)
ASKED: dict[str, Callable[[Connection], object]] = {
    "load": lambda connection: held.load(connection, ["j"]),
    "specs": lambda connection: held.specs(connection, ["j"]),
    "jobs of pods": lambda connection: lookup.jobs_of_pods(connection, [("east", "u")]),
    "jobs of runs": lambda connection: lookup.jobs_of_runs(connection, ["r"]),
    "due": lambda connection: lookup.due(connection, T0, at_most=5),
    "due after": lambda connection: lookup.due(connection, T0, at_most=5, after=DUE),
    "open runs": lookup.open_runs,
    "open runs in": lambda connection: lookup.open_runs_in(connection, "east"),
    "recorded": lambda connection: lookup.recorded(connection, [("east", "u")]),
    "pages of a list": lambda connection: run_lists.pages(connection, "l"),
    "place of a list": lambda connection: run_lists.place(connection, "l"),
    "open jobs": lambda connection: lookup.open_jobs(connection, "ml"),
    "pending": lambda connection: pending.take(connection, ["r"]),
    "requests": lambda connection: requests.of_job(connection, "j"),
    "numbered": lambda connection: outbox.numbered(connection, "t", after=0, at_most=5),
    "waits": lambda connection: outbox.waits(connection, "t"),
    "histories": lambda connection: verdicts.histories(connection, ["j"], since=T0),
}
WHOLE = r"(-> +)?Seq Scan|SCAN (?!.*USING (COVERING )?INDEX)"


def statements(connection: Connection, ask: Callable[[Connection], object]) -> list[tuple[str, Any]]:
    asked: list[tuple[str, Any]] = []

    def note(*given: Any) -> None:
        asked.append((given[2], given[3]))

    event.listen(connection, "before_cursor_execute", note)
    ask(connection)
    event.remove(connection, "before_cursor_execute", note)
    return asked


def test_nothing_reads_a_whole_table(store: Store) -> None:
    with store.read() as connection:
        explain = "EXPLAIN QUERY PLAN" if store.dialect == "sqlite" else "EXPLAIN"
        if store.dialect == "postgresql":
            # Its tables are empty here, so that a scan would be cheaper.
            connection.execute(text("SET LOCAL enable_seqscan = off"))
        for name, ask in ASKED.items():
            asked = statements(connection, ask)
            assert asked, name
            for statement, given in asked:
                lines = [str(row[-1]).strip() for row in connection.exec_driver_sql(f"{explain} {statement}", given)]
                assert not any(re.match(WHOLE, line) for line in lines), (name, lines)
