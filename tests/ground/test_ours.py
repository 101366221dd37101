"""The name ``agent`` exists elsewhere too: what is imported must be this tree's, under our distribution's name."""

from importlib import metadata
from pathlib import Path

import agent

ROOT = Path(__file__).parents[2]


def test_the_imported_agent_is_this_trees() -> None:
    assert agent.__file__ is not None
    assert Path(agent.__file__).resolve() == ROOT / "agent" / "__init__.py"


def test_the_distribution_is_ours_and_of_this_version() -> None:
    distribution = metadata.distribution("failure-agent")

    assert distribution.version == agent.__version__
    assert {entry.name: entry.value for entry in distribution.entry_points} == {
        "failctl": "agent.ctl.main:main",
        "failure-agent": "agent.__main__:main",
    }


def test_no_other_distribution_brings_a_package_of_that_name() -> None:
    assert set(metadata.packages_distributions().get("agent", [])) <= {"failure-agent"}
