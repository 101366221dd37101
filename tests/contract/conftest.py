"""The control plane of the contract suite, with options of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.real import OPTIONS
from tests.servers.control_plane import ControlPlane


@pytest.fixture(scope="session")
def contract_plane(kubernetes_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane started with OPTIONS."""
    with ControlPlane(kubernetes_program, tmp_path_factory.mktemp("contract") / "kubernetes", options=OPTIONS) as plane:
        yield plane
