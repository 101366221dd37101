"""Programs for tests that kill processes: ``python -m tests.broker.eventlog.programs produce|consume|create FOLDER``.

``create`` takes a time, too.
"""

import json
import signal
import sqlite3
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

from agent.backoff import Backoff
from agent.broker.consume.consumer import ConsumeLimits, Consumer, Source
from agent.broker.eventlog import EventLog, LogSettings
from agent.broker.port import Delivery, SubscriptionKind
from agent.broker.publish.publisher import Outbox, OutboxRow, Publisher, PublishLimits

TOPIC = "run-events-c1"
KEYS = 23
QUICK = Backoff(first=0.02, most=0.2)


def open_log(folder: Path, *, lease: float = 1.0) -> EventLog:
    short = LogSettings(
        lease=timedelta(seconds=lease), nack=timedelta(milliseconds=50), upkeep=timedelta(milliseconds=150)
    )
    return EventLog.open(str(folder / "log.db"), settings=short)


def stop_on_sigterm() -> Event:
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop


class FileOutbox(Outbox):
    """The smallest outbox that survives being killed."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.executescript(
            """PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
            CREATE TABLE IF NOT EXISTS outbox
                (seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, body BLOB, acked INTEGER DEFAULT 0);
            CREATE TABLE IF NOT EXISTS meta (k TEXT PRIMARY KEY, v);
            INSERT OR IGNORE INTO meta VALUES ('sent', 0);"""
        )

    def add(self, number: int) -> None:
        self._db.execute("INSERT INTO outbox (key, body) VALUES (?, ?)", (f"key-{number % KEYS}", str(number)))

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM outbox").fetchone()[0])

    def spool_id(self) -> str:
        return "spool"

    def highest_sent(self) -> int:
        return int(self._db.execute("SELECT v FROM meta WHERE k = 'sent'").fetchone()[0])

    def record_sent(self, sequence: int) -> None:
        self._db.execute("UPDATE meta SET v = max(v, ?) WHERE k = 'sent'", (sequence,))

    def unacknowledged(self, *, after: int, at_most: int) -> Sequence[OutboxRow]:
        rows = self._db.execute(
            "SELECT seq, key, body FROM outbox WHERE acked = 0 AND seq > ? ORDER BY seq LIMIT ?", (after, at_most)
        ).fetchall()
        return [OutboxRow(sequence=seq, key=key, payload=str(body).encode()) for seq, key, body in rows]

    def acknowledge(self, sequences: Sequence[int]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("UPDATE outbox SET acked = 1 WHERE seq = ?", [(one,) for one in sequences])
        self._db.execute("COMMIT")

    def acknowledge_through(self, sequence: int) -> int:
        return self._db.execute("UPDATE outbox SET acked = 1 WHERE acked = 0 AND seq <= ?", (sequence,)).rowcount

    def reject(self, sequence: int, *, error: str) -> None:
        raise AssertionError(f"{sequence} was rejected: {error}")

    def renumber(self, spool_id: str) -> None:
        raise AssertionError(f"numbered anew as {spool_id} although nothing was restored")


def produce(folder: Path, count: int, per_second: float) -> None:
    """Add events up to ``count`` to the outbox, going on where the one killed before stopped, and publish them."""
    stop, outbox = stop_on_sigterm(), FileOutbox(folder / "outbox.db")
    publisher = Publisher(
        open_log(folder), outbox, topic=TOPIC, source="agent/c1", limits=PublishLimits(window=50, backoff=QUICK)
    )
    thread = Thread(target=publisher.run, args=(stop,))
    thread.start()
    adder = FileOutbox(folder / "outbox.db")
    number = adder.count()
    while not stop.is_set():
        if number < count:
            number += 1
            adder.add(number)
            publisher.wake.set()
        time.sleep(1 / per_second)
    thread.join()


class Effects:
    """What was done, once for each event, in order; and how often an event came again."""

    def __init__(self, path: Path, who: str) -> None:
        self._who = who
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.executescript(
            """PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
            CREATE TABLE IF NOT EXISTS effect
                (n INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT UNIQUE, key TEXT, who TEXT);
            CREATE TABLE IF NOT EXISTS again (event TEXT);"""
        )

    def handle(self, batch: Sequence[Delivery]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        for one in batch:
            event = one.message.payload.decode()
            new = self._db.execute(
                "INSERT INTO effect (event, key, who) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (event, one.message.key, self._who),
            ).rowcount
            if not new:
                self._db.execute("INSERT INTO again VALUES (?)", (event,))
        self._db.execute("COMMIT")

    def failed(self, fingerprint: str, *, error: str) -> int:
        raise AssertionError(f"{fingerprint} could not be handled: {error}")

    def dies(self, delivery: Delivery, *, subscription: str) -> None:
        raise AssertionError(f"{delivery} is about to die in {subscription}")

    def forget(self, fingerprint: str) -> None:
        raise AssertionError(f"{fingerprint} went to the dead letters")

    def read(self) -> tuple[list[tuple[str, str, str]], int]:
        done = self._db.execute("SELECT event, key, who FROM effect ORDER BY n").fetchall()
        return done, int(self._db.execute("SELECT count(*) FROM again").fetchone()[0])


def consume(folder: Path, who: str, lease: float) -> None:
    """Consume until told to stop."""
    effects, log = Effects(folder / "effects.db", who), open_log(folder, lease=lease)
    source = Source(
        topics=lambda: log.topics("run-events-"),
        subscription="scheduler",
        kind=SubscriptionKind.KEY_SHARED,
        consumer=who,
    )
    limits = ConsumeLimits(batch=40, linger=0.01, backoff=QUICK)
    Consumer(log, source, effects.handle, attempts=effects, limits=limits).run(stop_on_sigterm())
    log.close()


def create(folder: Path, at: float) -> None:
    """Open the log, and make the same topic and subscription, at the same moment as others do."""
    time.sleep(max(0.0, at - time.time()))
    log = open_log(folder)
    log.ensure_subscription(TOPIC, "scheduler")
    sys.stdout.write(json.dumps(list(log.topics(""))))
    log.close()


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    match sys.argv[1]:
        case "produce":
            produce(folder, int(sys.argv[3]), float(sys.argv[4]))
        case "consume":
            consume(folder, sys.argv[3], float(sys.argv[4]))
        case "create":
            create(folder, float(sys.argv[3]))
        case other:
            sys.exit(f"there is no program {other}")
