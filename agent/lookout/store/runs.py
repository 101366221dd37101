"""Runs: a row each, merged from what is stored and what a batch reports."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, tuple_
from sqlalchemy import delete as delete_from

from agent.lookout.store import failures, merged, text_index
from agent.lookout.store.facts import merge
from agent.lookout.store.failures import NewFailure
from agent.lookout.store.outlines import Chosen, Outline, choose, run_columns
from agent.lookout.store.rollups import Changes
from agent.lookout.store.tables import run_category_table as category_table
from agent.lookout.store.tables import run_table as table
from agent.store.columns import Row
from agent.store.insert import insert_missing, insert_or_replace


@dataclass(slots=True)
class Reported:
    """What a batch says of runs: facts by run, and failures by event."""

    facts: dict[str, Row] = field(default_factory=dict)
    failures: dict[str, NewFailure] = field(default_factory=dict)

    def add(self, facts: Row, failure: NewFailure | None = None) -> None:
        merged.add(self.facts, facts["run_id"], facts, merge)
        if failure is not None:
            self.failures.setdefault(failure.outline.event_id, failure)


class Written(NamedTuple):
    """How many runs are new, how many that were known changed, and how many failures are new."""

    new: int
    changed: int
    failures: int


def record(connection: Connection, reported: Reported, since: datetime | None) -> Written:
    """Store what a batch says of runs.

    Runs that ended before ``since`` are not counted.
    """
    before = merged.stored(connection, table, reported.facts)
    outlines = failures.outlines(connection, before)
    stored = {outline.event_id for found in outlines.values() for outline in found}
    new = [reported.failures[event_id] for event_id in sorted(reported.failures) if event_id not in stored]
    change = _Change(since=Changes(since))
    added = _by_run(new)
    for run_id in sorted(reported.facts):
        earlier = outlines.get(run_id, [])
        change.run(before.get(run_id), reported.facts[run_id], earlier, [*earlier, *added.get(run_id, ())])
    failures.store(connection, new)
    change.write(connection)
    added_runs = len(reported.facts) - len(before)
    return Written(new=added_runs, changed=len(change.rows) - added_runs, failures=len(new))


def _by_run(new: Iterable[NewFailure]) -> Mapping[str, list[Outline]]:
    by_run: dict[str, list[Outline]] = defaultdict(list)
    for failure in new:
        by_run[failure.outline.run_id].append(failure.outline)
    return by_run


@dataclass(slots=True)
class _Change:
    """The rows to write, each after what it was before."""

    since: Changes
    rows: list[tuple[Row | None, Row]] = field(default_factory=list)
    categories: list[Row] = field(default_factory=list)
    former: list[tuple[str, str]] = field(default_factory=list)

    def run(self, before: Row | None, facts: Row, earlier: Sequence[Outline], now: Sequence[Outline]) -> None:
        """Add the row of one run, unless nothing changes."""
        all_facts = facts if before is None else merge(before, facts)
        after = finished(all_facts, choose(now))
        if after == before:
            return
        self.rows.append((before, after))
        self.since.replace(before, after)
        had, has = _categories(before, choose(earlier)), _categories(after, choose(now))
        self.categories += [{"category": name, "run_id": after["run_id"]} for name in sorted(has - had)]
        self.former += [(name, after["run_id"]) for name in sorted(had - has)]

    def write(self, connection: Connection) -> None:
        insert_or_replace(connection, table, [after for _, after in self.rows], key="run_id")
        text_index.follow(connection, self.rows)
        if self.former:
            key = tuple_(category_table.c.category, category_table.c.run_id)
            connection.execute(delete_from(category_table).where(key.in_(self.former)))
        insert_missing(connection, category_table, self.categories)
        self.since.write(connection)


def _categories(row: Row | None, chosen: Chosen | None) -> frozenset[str]:
    """All categories of a run that failed."""
    if row is None or row["failure_id"] is None or chosen is None:
        return frozenset()
    return frozenset(chosen.evidence.categories)


def finished(facts: Row, chosen: Chosen | None) -> Row:
    """The row of a run: its facts, why it failed, its state, and the hour in which it is counted."""
    if chosen is not None and chosen.failure.is_gone and facts["succeeded_at"] is not None:
        chosen = None  # it succeeded; only the news that its pod was gone said otherwise
    ended_at = facts["succeeded_at"] if chosen is None else chosen.failure.occurred_at
    return {
        **facts,
        **run_columns(chosen),
        "state": "failed" if chosen is not None else _state(facts),
        "hour": None if ended_at is None else ended_at.replace(minute=0, second=0, microsecond=0),
    }


_STATES: Final = (
    ("succeeded_at", "succeeded"),
    ("running_at", "running"),
    ("pending_at", "pending"),
    ("rejected_at", "rejected"),
    ("leased_at", "leased"),
)


def _state(facts: Row) -> str:
    return next((state for column, state in _STATES if facts[column] is not None), "unknown")
