"""Where tests run in several processes, those of one real server run in one of them: it is started once.

A plugin of pytest: ``tests.servers.grouping``; it speaks to xdist's ``--dist loadgroup``.
"""

from typing import Final

import pytest

_SHARED: Final = {
    "shared_pulsar": "pulsar",
    "shared_control_plane": "kubernetes",
    "shared_scheduled_control_plane": "scheduled-kubernetes",
    "shared_secure_pulsar": "secure-pulsar",
    "shared_postgres": "postgres",
    "browser": "browser",
}
"""The group of each fixture that keeps a server, the dearest first: a test of several runs where the dearest does."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Put the test into the group of its server, unless it says which group it is of; later xdist would not see it."""
    wanted = server_of(getattr(item, "fixturenames", ()))
    if wanted is not None and item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(wanted))


def server_of(fixtures: tuple[str, ...] | list[str]) -> str | None:
    """The server whose process a test with these fixtures runs in.

    ``None``: any process will do, also where the test starts a server of its own.
    """
    return next((group for name, group in _SHARED.items() if name in fixtures), None)
