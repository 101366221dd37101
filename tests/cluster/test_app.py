"""The start of the agent: what it imports, and what it does where something that it needs does not answer."""

import sys
from importlib.util import find_spec
from threading import Event

import pytest
from structlog.testing import capture_logs

from agent.broker.lazy import LazyBroker
from agent.broker.port import Broker, Unreachable
from agent.cluster import app
from tests import child

OF_OTHERS = (
    "agent.core.decision.decide",
    "agent.core.error_table.engine",
    "agent.core.retry.policy",
    "agent.scheduler",
    "agent.store",
    "grpc",
    "regex",
    "ruamel.yaml",
    "sqlalchemy",
)
"""What the scheduler or few rules need: each takes megabytes of an agent."""


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


@pytest.mark.slow
def test_it_imports_nothing_that_only_others_need() -> None:
    script = f"import agent.cluster.app, sys; print(*(name for name in {OF_OTHERS} if name in sys.modules))"

    assert child.run([sys.executable, "-c", script]).stdout == "\n"


def test_all_these_names_are_modules() -> None:
    assert [name for name in OF_OTHERS if find_spec(name) is None] == []
