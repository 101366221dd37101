"""Running: what each process of tests is at, for whom watches whether they hang (``.ci/watchdog.py``).

A plugin of pytest: ``tests.running``. In the folder that ``TESTS_RUNNING`` names, a file named as the process holds the
test that it runs, and the file ``finished`` is touched when a test has ended.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Write that it has begun, and that it has ended, however it does."""
    if (named := os.environ.get("TESTS_RUNNING")) is None:
        return (yield)
    running = Path(named) / str(os.getpid())
    running.write_text(item.nodeid, encoding="utf-8")
    try:
        return (yield)
    finally:
        running.unlink()
        running.with_name("finished").touch()
