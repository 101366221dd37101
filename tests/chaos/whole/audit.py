"""An audit: what the broker was given and what the store has, read when all is over."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from sqlalchemy import func, select

from agent.broker.connect import connect
from agent.broker.port import Delivery, SubscriptionKind
from agent.broker.publish.in_flight import SEQUENCE, SPOOL_ID
from agent.store.store import Store
from agent.store.tables.failures import table as failure
from agent.store.tables.verdicts import table as verdict
from agent.wire import events
from tests.cluster.run_events import is_about_a_run

AUDITOR: Final = "audit"
"""A subscription that the agent makes beside the scheduler's, so that everything it publishes is kept."""

_RECEIVED_AT_MOST: Final = 500
_END_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One message of the topic. ``sequence`` is its number in the spool it came from."""

    event_id: str
    scope: str
    spool_id: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One failure in the store."""

    event_id: str
    run_id: str
    stored_at: datetime


def read_topic(url: str, topic: str) -> list[Told]:
    """Every message of the topic, in its order."""
    with closing(connect(url)) as broker:
        subscription = broker.subscribe([topic], name=AUDITOR, kind=SubscriptionKind.FAILOVER, consumer=AUDITOR)
        found: list[Told] = []
        while some := subscription.receive(at_most=_RECEIVED_AT_MOST, timeout=_END_SECONDS):
            found.extend(_told(one) for one in some if is_about_a_run(one.message.payload))
            subscription.ack(some)
        return found


def read_failures(store: Store) -> list[Kept]:
    """Every failure that is stored."""
    with store.read() as connection:
        rows = connection.execute(select(failure.c.event_id, failure.c.run_id, failure.c.stored_at))
        return [Kept(event_id=row.event_id, run_id=row.run_id, stored_at=row.stored_at) for row in rows]


def read_verdicts(store: Store) -> dict[str, str]:
    """What was decided of each run."""
    with store.read() as connection:
        return {row.run_id: row.action for row in connection.execute(select(verdict.c.run_id, verdict.c.action))}


def count_verdicts(store: Store) -> int:
    """How many runs have one."""
    with store.read() as connection:
        return connection.scalar(select(func.count()).select_from(verdict)) or 0


def first_of_each(told: Iterable[Told]) -> list[Told]:
    """The messages without those that repeat one before."""
    first: dict[str, Told] = {}
    for one in told:
        first.setdefault(one.event_id, one)
    return list(first.values())


def reordered(told: Sequence[Told], kept: Iterable[Kept]) -> int:
    """How often, within a scope, one came before another that was spooled before it: in the topic, or in the store."""
    stored_at = {one.event_id: one.stored_at for one in kept}
    scopes: Mapping[str, list[Told]] = defaultdict(list)
    for one in first_of_each(told):
        scopes[one.scope].append(one)
    return sum(_overtakes(a, b, stored_at) for scope in scopes.values() for a, b in pairwise(scope))


def _overtakes(earlier: Told, later: Told, stored_at: Mapping[str, datetime]) -> bool:
    """``earlier`` and ``later`` as they are in the topic."""
    in_topic = earlier.spool_id == later.spool_id and earlier.sequence > later.sequence
    both = earlier.event_id in stored_at and later.event_id in stored_at
    return in_topic or (both and stored_at[earlier.event_id] > stored_at[later.event_id])


def _told(delivery: Delivery) -> Told:
    event, properties = events.decode(delivery.message.payload), delivery.message.properties
    return Told(
        event_id=event.event_id,
        scope=event.identity.scope,
        spool_id=properties[SPOOL_ID],
        sequence=int(properties[SEQUENCE]),
    )
