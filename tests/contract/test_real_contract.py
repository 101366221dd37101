"""The real server still answers as it did when the transcripts were recorded."""

import pytest

from tests.contract.catalogue import SCENARIOS
from tests.contract.real import real_stage
from tests.contract.transcript import difference, normalise
from tests.servers.control_plane import ControlPlane

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SCENARIOS)
async def test_the_real_server_answers_as_recorded(name: str, contract_plane: ControlPlane) -> None:
    async with real_stage(contract_plane) as stage:
        await SCENARIOS[name](stage)
    transcript = normalise(stage.server.exchanges, namespace=stage.namespace)
    assert not difference(name, transcript, by="the real server now"), "python -m tests.contract record, if it is right"
