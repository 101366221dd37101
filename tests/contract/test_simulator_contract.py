"""The simulator answers as the real server did when the transcripts were recorded."""

import pytest

from tests.contract.catalogue import SCENARIOS
from tests.contract.claims import claimed
from tests.contract.sessions import SESSIONS
from tests.contract.simulated import simulated_stage
from tests.contract.transcript import FOLDER, difference, normalise, read

_SOON = {"a_bookmark_says_how_far_a_quiet_watch_is": 0.1}
"""Scenarios that wait for a bookmark, and how often the simulator sends one then, in seconds."""


@pytest.mark.parametrize("name", SCENARIOS)
async def test_the_simulator_answers_as_the_real_server(name: str) -> None:
    async with simulated_stage(bookmark_seconds=_SOON.get(name, 60.0)) as stage:
        await SCENARIOS[name](stage)
    transcript = normalise(stage.server.exchanges, namespace=stage.namespace)
    assert read(name), "there is no transcript: python -m tests.contract record"
    assert not difference(name, transcript, by="the simulator", claimed=claimed)


def test_every_transcript_has_its_scenario() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {*SCENARIOS, *SESSIONS}
