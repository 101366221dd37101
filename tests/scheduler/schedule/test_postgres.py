"""Leader and outbox on a real Postgres, where transactions commit in any order, and processes die."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, make_url, select

from agent.broker.connect import connect
from agent.broker.port import SubscriptionKind
from agent.broker.publish.in_flight import SEQUENCE
from agent.store import leader, outbox
from agent.store.outbox import NewMessage
from agent.store.store import Store
from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.servers.patience import until

pytestmark = pytest.mark.slow

TOPIC = "run-commands-east"
LATER = 400


def message(text: str) -> NewMessage:
    return NewMessage(topic=TOPIC, key="j", payload=text.encode())


def put(store: Store, *texts: str) -> None:
    with store.write() as connection:
        outbox.put(connection, [message(text) for text in texts], written_at=datetime.now(UTC))


def waiting(store: Store) -> int:
    with store.read() as connection:
        return connection.scalar(select(func.count()).select_from(outbox.table)) or 0


def published(folder: Path) -> list[tuple[int, str]]:
    """Sequence and text of every message of the topic, in its order."""
    with closing(connect(f"sqlite:///{folder}/log.db")) as broker:
        reader = broker.subscribe([TOPIC], name="t", kind=SubscriptionKind.FAILOVER, consumer="t")
        found: list[tuple[int, str]] = []
        while some := reader.receive(at_most=500, timeout=0.1):
            found += [(int(each.message.properties[SEQUENCE]), each.message.payload.decode()) for each in some]
        return found


@contextmanager
def scheduler(url: str, folder: Path, name: str) -> Iterator[SchedulerProcess]:
    address, password = make_url(url), folder / "password"
    password.write_text(address.password or "")
    store = {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)}
    process = SchedulerProcess(write_settings(folder, store=store), log=folder / f"{name}.log")
    try:
        yield process
    finally:
        process.end()


def test_a_decision_that_commits_after_later_ones_were_sent_arrives_also_if_the_publisher_dies(
    postgres_store: str, tmp_path: Path
) -> None:
    later = [f"later-{number}" for number in range(LATER)]
    with Store.open(postgres_store) as store:
        with closing(connect(f"sqlite:///{tmp_path}/log.db")) as broker:
            broker.ensure_subscription(TOPIC, "t")
        with store.write() as held:
            outbox.put(held, [message("held")], written_at=datetime.now(UTC))
            put(store, *later)
            with scheduler(postgres_store, tmp_path, "first") as first:
                until(lambda: waiting(store) < LATER, "some were sent", seconds=60)
                first.kill()
        sent = len(published(tmp_path))
        with scheduler(postgres_store, tmp_path, "second"):
            until(lambda: waiting(store) == 0, "all were sent", seconds=60)

    found = published(tmp_path)
    assert sent > 0
    assert [sequence for sequence, _ in found] == list(range(1, LATER + 2))
    assert [text for _, text in found if text != "held"] == later
    assert [text for _, text in found].index("held") >= sent


STOPS = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from agent.store import leader, outbox
from agent.store.errors import StoreError
from agent.store.store import Store
from tests.scheduler.schedule.test_postgres import message

with Store.attach(sys.argv[1]) as store:
    with store.write() as connection:
        epoch = leader.take(connection, "first", now=datetime.now(UTC), lasts=timedelta(seconds=1))
    for number in range(2):
        try:
            with store.write() as connection:
                leader.check(connection, epoch)
                if number == 0:
                    print("checked", flush=True)
                    os.kill(os.getpid(), signal.SIGSTOP)
                outbox.put(connection, [message("first")], written_at=datetime.now(UTC))
        except StoreError as error:
            print(type(error).__name__, flush=True)
"""


def test_a_leader_that_stops_between_check_and_commit_beyond_its_term_changes_nothing(
    postgres_store: str, start: Callable[..., Child]
) -> None:
    """Postgres ends its transaction, which would keep others from the leader's row. That takes a minute by default."""
    impatient = f"{postgres_store}?options=-c%20idle_in_transaction_session_timeout%3D1s"
    with Store.open(postgres_store) as store:
        first = start([sys.executable, "-c", STOPS, impatient], cwd=ROOT, stdout=PIPE)
        assert first.line() == "checked\n"
        with store.write() as connection:
            epoch = leader.take(
                connection, "second", now=datetime.now(UTC) + timedelta(seconds=1), lasts=timedelta(seconds=60)
            )
            assert epoch is not None
        with store.write() as connection:
            leader.check(connection, epoch)
            outbox.put(connection, [message("second")], written_at=datetime.now(UTC))
        first.send(signal.SIGCONT)

        assert [*first.lines()] == ["StoreUnreachable\n", "LeadershipLost\n"]
        with store.read() as connection:
            assert connection.scalars(select(outbox.table.c.payload)).all() == [b"second"]
            assert connection.scalar(select(leader.table.c.holder)) == "second"
