"""Every broker there is, as a fixture; imported by the conftests of the tests that want them all."""

from pathlib import Path
from typing import Final

import pytest

BROKERS: Final = ["eventlog", pytest.param("pulsar", marks=[pytest.mark.slow, pytest.mark.xdist_group("pulsar")])]


@pytest.fixture(params=BROKERS)
def broker_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a broker in which all topics are the test's own, on each kind in turn."""
    if request.param == "eventlog":
        return f"sqlite:///{tmp_path}/log.db"
    namespace = request.getfixturevalue("pulsar_namespace")
    return f"{namespace.broker.url}/{namespace.name}"
