"""Lookout as a process of its own, and what it stored."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import Select, Table, func, make_url, select

from agent.broker.port import Broker, Message
from agent.core.run_event import RunEvent
from agent.lookout.store import rollups
from agent.lookout.store.tables import day_table, hour_table, metadata, node_day_table, run_table
from agent.store.store import Store
from tests.scheduler.path import Place, message
from tests.scheduler.process import SchedulerProcess
from tests.store.events import event, failed
from tests.volume import rewrite

APART = frozenset({"attempt"})
"""The tables that say how messages came, not what they said."""


def write_settings(folder: Path, place: Place, **changed: object) -> Path:
    """Settings of a Lookout whose database is the place's store; one that runs reads them again."""
    address, password = make_url(place.store_url), folder / "password"
    password.write_text(address.password or "")
    settings = {
        "broker": {"url": place.broker_url},
        "database": {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)},
        "discover": "100ms",
        "reload": "50ms",
        "api": {"port": 0},
        "health": {"port": 0},
        "retention": "36500d",  # the times of what tests publish are fixed
        "logRetention": "36500d",
        **changed,
    }
    file = folder / "lookout.yaml"
    rewrite(file, yaml.safe_dump(settings))
    return file


def command(settings: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "agent", "lookout", "--settings", str(settings), *more]


class LookoutProcess(SchedulerProcess):
    """One started Lookout; its log goes to a file of its own."""

    words = staticmethod(command)


def failures(count: int, *, first: int = 0) -> list[RunEvent]:
    """Failures of as many runs, three attempts of each job, one a minute."""
    return [
        event(
            f"e{number}", failed(), run=f"run-{number}", job=f"job-{number // 3}", attempt=number % 3, after=number * 60
        )
        for number in range(first, first + count)
    ]


def messages(events: Sequence[RunEvent]) -> list[Message]:
    return [message(told) for told in events]


def retained(broker: Broker, topic: str) -> Iterator[Message]:
    """All messages that a topic still has, in its order, whoever consumed them."""
    with closing(broker.reader(topic)) as reader:
        while found := reader.read(at_most=500):
            yield from (delivery.message for delivery in found)


Rows = Mapping[str, list[tuple[Any, ...]]]


def rows(store: Store) -> Rows:
    """All that is stored, by table; of counts those that are not zero."""
    with store.read() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(_all(table))), key=repr)
            for table in metadata.sorted_tables
            if table.name not in APART
        }


def _all(table: Table) -> Select[Any]:
    query = select(table)
    return query.where(table.c.runs != 0) if table in (hour_table, day_table, node_day_table) else query


def count(store: Store) -> int:
    """How many runs are stored."""
    with store.read() as connection:
        return connection.scalars(select(func.count()).select_from(run_table)).one()


def assert_counted(store: Store) -> None:
    """The rollups are what a recount gives."""
    with store.read() as connection:
        assert rollups.stored(connection) == rollups.recount(connection)
