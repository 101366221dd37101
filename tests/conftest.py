"""What all tests share: how hard hypothesis looks, and real servers where they are prepared.

``HYPOTHESIS_PROFILE`` names a profile; under CI it is ``ci``. ``make long`` runs the laws once more by ``long``.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.child import Child, catch_ignored_signals

pytest_plugins = [
    "tests.budgets",
    "tests.failed",
    "tests.garbage",
    "tests.ids",
    "tests.limits",
    "tests.logs",
    "tests.parsers",
    "tests.running",
    "tests.servers.chromium",
    "tests.servers.grouping",
    "tests.servers.kubernetes",
    "tests.servers.network",
    "tests.servers.postgres",
    "tests.servers.pulsar",
]

settings.register_profile("dev", max_examples=50, deadline=None)
for profile, examples in (("ci", 100), ("long", 1000)):
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=False,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

catch_ignored_signals()


@pytest.fixture
def start() -> Iterator[Callable[..., Child]]:
    """Starts processes that end with the test; takes what ``Child`` takes."""
    with ExitStack() as running:

        def started(*arguments: Any, **named: Any) -> Child:
            return running.enter_context(Child(*arguments, **named))

        yield started
