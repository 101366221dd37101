"""kubectl works on the simulator as it did on a real server when the sessions were recorded, and still does there."""

from pathlib import Path

import pytest

from tests.contract.claims import claimed
from tests.contract.real import real_stage
from tests.contract.sessions import SESSIONS
from tests.contract.simulated import simulated_stage
from tests.contract.stage import Stage
from tests.contract.terminal import terminal
from tests.contract.transcript import difference, normalise_session, read
from tests.servers.control_plane import ControlPlane
from tests.servers.control_plane_program import KUBECTL
from tests.simulator.api import Json

pytestmark = pytest.mark.slow


async def played(name: str, stage: Stage, *, program: Path, folder: Path) -> list[Json]:
    async with terminal(stage, program / KUBECTL, folder) as used:
        await SESSIONS[name](used)
    return normalise_session(used.ran, namespace=stage.namespace)


@pytest.mark.parametrize("name", SESSIONS)
async def test_on_the_simulator(name: str, kubernetes_program: Path, tmp_path: Path) -> None:
    assert read(name), "there is no transcript: python -m tests.contract record"
    async with simulated_stage() as stage:
        session = await played(name, stage, program=kubernetes_program, folder=tmp_path)
    assert not difference(name, session, by="the simulator", claimed=claimed)


@pytest.mark.parametrize("name", SESSIONS)
async def test_on_a_real_server(
    name: str, contract_plane: ControlPlane, kubernetes_program: Path, tmp_path: Path
) -> None:
    async with real_stage(contract_plane) as stage:
        session = await played(name, stage, program=kubernetes_program, folder=tmp_path)
    assert not difference(name, session, by="the real server now"), "python -m tests.contract record, if it is right"
