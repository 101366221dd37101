"""A Lookout that ingests in a process of its own, from event logs that are full when it starts on them."""

import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import msgspec
from sqlalchemy import make_url

from agent.broker.port import Message
from agent.lookout.ingest.topics import SUBSCRIPTION
from bench.peer.process import PeerProcess
from bench.peer.topic import publish

_ROOT: Final = Path(__file__).parent.parent.parent


class Ingested(msgspec.Struct, frozen=True, kw_only=True):
    """What it took to ingest some messages; memory is that of the process, at its highest so far and now."""

    messages: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    now_mb: float

    @property
    def per_second(self) -> float:
        return self.messages / self.seconds

    @property
    def cpu_per_1000(self) -> float:
        return self.cpu_seconds / self.messages * 1000


class FullLog:
    """An event log with messages; each Lookout consumes a copy."""

    def __init__(self, file: Path, number: int) -> None:
        self._file = file
        self.number = number

    @classmethod
    def of(cls, sent: Iterable[tuple[str, Message]], *, folder: Path) -> Self:
        """Publish messages to their topics. Raises BrokerError."""
        by_topic: Mapping[str, list[Message]] = defaultdict(list)
        for topic, message in sent:
            by_topic[topic].append(message)
        file = folder / "full.db"
        for topic, messages in by_topic.items():
            publish(f"sqlite:///{file}", messages, topic=topic, subscription=SUBSCRIPTION)
        return cls(file, sum(map(len, by_topic.values())))

    @contextmanager
    def copied(self) -> Iterator[str]:
        """The address of a copy, which is gone afterwards."""
        copy = self._file.with_name("copy.db")
        shutil.copy(self._file, copy)
        try:
            yield f"sqlite:///{copy}"
        finally:
            _remove(copy)

    def remove(self) -> None:
        _remove(self._file)


def _remove(file: Path) -> None:
    for part in file.parent.glob(f"{file.name}*"):
        part.unlink()


class Ingester:
    """One process; started on entering ``with``."""

    def __init__(self, *, folder: Path, profile: bool = False) -> None:
        self._folder = folder
        self._process = PeerProcess(
            Path(sys.executable),
            ["-m", "bench.subject.lookout", *(["--profile"] if profile else [])],
            folder=_ROOT,
        )

    def __enter__(self) -> Self:
        self._process.__enter__()
        return self

    def __exit__(self, *ended: object) -> None:
        self._process.__exit__(None, None, None)

    def ingest(self, log: FullLog, database: str) -> Ingested:
        """Ingest all messages of a log into the database at this address. Raises PeerFailed."""
        with log.copied() as broker:
            settings = self._settings(broker, database)
            answer = self._process.ask(json.dumps({"settings": settings, "messages": log.number}))
        return msgspec.convert({**answer, "messages": log.number}, Ingested)

    def show_profile(self) -> None:
        """Have it print where its time went, if it was started so. Raises PeerFailed."""
        self._process.ask(json.dumps({}))

    def _settings(self, broker: str, store: str) -> str:
        address = make_url(store)
        file, password = self._folder / "lookout.json", self._folder / "lookout-password"
        password.write_text(str(address.password or ""), encoding="utf-8")
        database = {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)}
        file.write_text(
            json.dumps({"broker": {"url": broker}, "database": database, "log": {"level": "error"}}), encoding="utf-8"
        )
        return str(file)
