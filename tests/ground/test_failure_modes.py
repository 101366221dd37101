"""docs/operations.md names metrics that exist, and tests that exist for every failure mode."""

import re

import pytest
from prometheus_client import Metric

from agent.telemetry import broker_metrics, cluster_metrics, configuration_metrics, scheduler_metrics
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
MODES = PAGE.partition("## When things fail")[2].partition("\n## ")[0]
ROWS = [line for line in MODES.splitlines() if line.startswith("|")][2:]
MODULES = (broker_metrics, cluster_metrics, configuration_metrics, scheduler_metrics)
PREFIX = "failure_agent_"


def families() -> list[Metric]:
    found = [value for module in MODULES for name, value in vars(module).items() if name.isupper() and name[0] != "_"]
    return [family for each in found for family in each.describe()]


def exposed() -> set[str]:
    """The names of all samples, as PromQL spells them."""
    endings = {
        "counter": ("_total",),
        "gauge": ("",),
        "info": ("_info",),
        "histogram": ("_bucket", "_count", "_sum", ""),
    }
    return {family.name + ending for family in families() for ending in endings[family.type]}


def test_every_metric_that_is_named_exists() -> None:
    named = set(re.findall(rf"{PREFIX}[a-z_]+", PAGE)) - {PREFIX}

    assert len(named) > 20
    assert named - exposed() == set()


def test_every_mode_has_its_five_columns() -> None:
    assert len(ROWS) >= 25
    assert {len(row.strip("|").split(" | ")) for row in ROWS} == {5}


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[1].strip()[:40] for row in ROWS])
def test_a_mode_names_signs_that_exist_and_tests_that_prove_it(row: str) -> None:
    mode, sign, _, data, proof = (cell.strip() for cell in row.strip("|").split(" | "))
    short = {match for match in re.findall(r"`([a-z_]+)(?:\{.*?\})?`", sign) if "_" in match}

    assert mode
    assert data
    assert {PREFIX + name for name in short} - exposed() == set()
    files = re.findall(r"`([a-z_/]+\.py)`", proof)
    assert files
    assert [file for file in files if not (ROOT / "tests" / file).is_file()] == []
