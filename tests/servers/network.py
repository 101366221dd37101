"""A fixture with a network to break. A plugin of pytest: ``tests.servers.network``."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.servers.proxy import TcpProxy


@pytest.fixture
def start_proxy() -> Iterator[Callable[[int], TcpProxy]]:
    """Starts proxies to ports of loopback, which end with the test."""
    with ExitStack() as running:
        yield lambda server_port: running.enter_context(TcpProxy(server_port))
