"""New failures. A row is also the record that its event was consumed: ``event_id`` is the primary key."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from agent.core.failure import Failure
from agent.core.failure_text.ending import exit_code, message
from agent.core.run_event import RunEvent
from agent.store.columns import Row, identity_columns
from agent.store.insert import insert, insert_new
from agent.store.tables.failures import LONGEST_VALUE, detail_table, info_table, table
from agent.wire import failure as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A failure that an event reports; ``amends`` is the event that an amendment adds evidence to, else ``None``."""

    event: RunEvent
    failure: Failure
    amends: str | None = None


def store_new(connection: Connection, arrivals: Sequence[Arrival], *, stored_at: datetime) -> set[str]:
    """Store those whose event was not consumed before; return their event ids."""
    # Reversed, so that the first of two copies in one batch is the one that is stored.
    by_id = {arrival.event.event_id: arrival for arrival in reversed(arrivals)}
    rows = [_row(arrival, stored_at) for arrival in by_id.values()]
    new = insert_new(connection, table, rows, key="event_id")
    infos = [{"event_id": event_id, "info": wire.encode(by_id[event_id].failure)} for event_id in sorted(new)]
    insert(connection, info_table, infos)
    insert(connection, detail_table, [row for event_id in sorted(new) for row in detail_rows(by_id[event_id])])
    return new


def consumed(connection: Connection, event_ids: Collection[str]) -> set[str]:
    """Those of the events whose failure is stored."""
    if not event_ids:
        return set()
    return set(connection.scalars(select(table.c.event_id).where(table.c.event_id.in_(event_ids))))


def detail_rows(arrival: Arrival) -> list[Row]:
    """A row for each key. Of several values of a key, which no agent sends, it has the first."""
    values: dict[str, str] = {}
    for detail in arrival.failure.classification.detail:
        values.setdefault(detail.key.value, detail.value[:LONGEST_VALUE])
    own = {"event_id": arrival.event.event_id, "occurred_at": arrival.event.occurred_at}
    return [{**own, "key": key, "value": value} for key, value in values.items()]


def _row(arrival: Arrival, stored_at: datetime) -> Row:
    event, failure = arrival.event, arrival.failure
    given = failure.classification
    return {
        **identity_columns(event),
        **outline(failure),
        "event_id": event.event_id,
        "occurrence": failure.occurrence.value,
        "amends": arrival.amends,
        "advice": None if given.advice is None else given.advice.value,
        "matched": given.matched,
        "rules_revision": given.revision,
        "signal": failure.signal,
        "termination_reason": failure.termination_reason,
        "user_code_ran": failure.user_code.ran,
        "key_line": key_line(failure),
        "fingerprint": failure.fingerprint,
        "occurred_at": event.occurred_at,
        "observed_at": event.observed_at,
        "stored_at": stored_at,
    }


def outline(failure: Failure) -> Row:
    """Give the columns of ``OUTLINE``."""
    given = failure.classification
    return {
        "category": given.category,
        "subcategory": given.subcategory,
        "origin": given.origin.value,
        "grade": None if given.grade is None else given.grade.value,
        "corroborated": given.corroborated,
        "container": failure.culprit_container or failure.container_name,
        "exit_code": exit_code(failure),
    }


def key_line(failure: Failure) -> str:
    """The line that says most: the stack trace's error, else the message's last line, else the platform's first."""
    if failure.stack_trace is not None and failure.stack_trace.key_line:
        return failure.stack_trace.key_line
    own = [line for line in message(failure).splitlines() if line.strip()]
    theirs = [line for line in failure.pod_error.splitlines() if line.strip()]
    return own[-1] if own else theirs[0] if theirs else ""
