from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from agent.broker.eventlog import EventLog, LogSettings
from agent.broker.port import Broker
from tests.broker.contract import Adapter, BrokerContract

SETTINGS = LogSettings(nack=timedelta(milliseconds=50))


class EventLogAdapter:
    quiet_seconds = 0.3

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: list[Broker] = []

    def open(self) -> Broker:
        self._opened.append(EventLog.open(str(self._path), settings=SETTINGS))
        return self._opened[-1]

    def topic(self, name: str) -> str:
        return f"run-events-{name}"

    def close(self) -> None:
        for one in self._opened:
            one.close()


class TestEventLogContract(BrokerContract):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Iterator[Adapter]:
        made = EventLogAdapter(tmp_path / "log.db")
        yield made
        made.close()
