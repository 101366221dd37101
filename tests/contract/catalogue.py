"""Every scenario, by the name of its transcript."""

from collections.abc import Mapping
from typing import Final

from tests.contract import admitting, beside_pods, deleting, discovering, gating, reading, tabling, watching, writing
from tests.contract.stage import Scenario

SCENARIOS: Final[Mapping[str, Scenario]] = {
    scenario.__name__: scenario
    for room in (reading, watching, writing, gating, admitting, deleting, beside_pods, discovering, tabling)
    for scenario in room.SCENARIOS
}
