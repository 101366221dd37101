from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.broker.connect import connect
from agent.broker.port import Broker
from tests.broker.contract import Adapter, BrokerContract


class EventLogAdapter:
    quiet_seconds = 0.3

    def __init__(self, path: Path) -> None:
        self._url = f"sqlite:///{path}"
        self._opened: list[Broker] = []

    def open(self) -> Broker:
        self._opened.append(connect(self._url))
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
