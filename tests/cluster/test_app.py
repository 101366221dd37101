"""The start of the agent, where something that it needs does not answer."""

from threading import Event

import pytest
from structlog.testing import capture_logs

from agent.broker.lazy import LazyBroker
from agent.broker.port import Broker, Unreachable
from agent.cluster import app


async def test_a_broker_that_gives_no_answer_is_said_to_give_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_CLAIM_SECONDS", 0.05)
    asked = Event()

    def hang() -> Broker:
        asked.wait(60)
        raise Unreachable("gone")

    with capture_logs() as logs:
        await app._claim(LazyBroker(hang), "run-events-east", owner="uid")
    asked.set()

    (line,) = logs
    assert line["event"].startswith("the owner of the topic is not known yet")
    assert line["error"] == "no answer from the broker within 0.05 s"
