"""Logs as the process writes them: structlog's own default draws tracebacks with their locals, which takes seconds."""

import pytest

from agent.telemetry.logs import configure
from tests.store.databases import store, store_url

__all__ = ["store", "store_url"]


@pytest.fixture(autouse=True)
def _logs() -> None:
    configure("info", "json")
