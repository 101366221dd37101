"""The benchmark of submissions: both kinds of pods get as far, and its targets can be missed."""

from pathlib import Path

import pytest
import yaml

from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.simulator.gates import GATE
from agent.simulator.kinds import PODS
from agent.simulator.script import load_scripts
from agent.simulator.webhook import webhook_of
from bench.peer.places import Broker
from bench.submit import SCRIPTS, Kind, figures, table, verdicts


def test_the_webhook_takes_the_gate_off_the_pods_of_one_kind_only(tmp_path: Path) -> None:
    file = tmp_path / "scripts.yaml"
    file.write_text(yaml.safe_dump({"scripts": SCRIPTS}))
    mutate = webhook_of(load_scripts((file,)))
    spec = {"containers": [{"name": "main"}], "schedulingGates": [{"name": GATE}]}

    made = {
        kind: mutate(PODS, {"metadata": {"annotations": {SCRIPT_ANNOTATION: kind.value}}, "spec": spec})
        for kind in Kind
    }

    assert made[Kind.GATED]["spec"]["schedulingGates"] == spec["schedulingGates"]
    assert "schedulingGates" not in made[Kind.UNGATED]["spec"]


@pytest.mark.parametrize(
    ("gated", "met"),
    [([0.4] * 100, [True, True]), ([0.5] * 100, [False, False]), ([0.4] * 98 + [9.0] * 2, [True, False])],
)
def test_a_target_is_met_or_missed(gated: list[float], met: list[bool]) -> None:
    found = figures({Kind.GATED: gated, Kind.UNGATED: [0.2] * 100})

    held = verdicts(found, broker=Broker.PULSAR)

    assert [figure.share >= 1 for figure in held] == met
    assert len(table(found, broker=Broker.PULSAR).splitlines()) == 1 + len(Kind) + 1
