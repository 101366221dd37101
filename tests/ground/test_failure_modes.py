"""Runbooks name metrics that exist, and no tests: those of each failure mode stand in ``failure_modes.yaml``."""

import re
from pathlib import Path

import pytest
import yaml
from prometheus_client import Metric

from agent.telemetry import broker_metrics, cluster_metrics, configuration_metrics, scheduler_metrics
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
MODES = PAGE.partition("## When things fail")[2].partition("\n## ")[0]
ROWS = [line for line in MODES.splitlines() if line.startswith("|")][2:]
MODULES = (broker_metrics, cluster_metrics, configuration_metrics, scheduler_metrics)
PREFIX = "failure_agent_"
PROOFS: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parent / "failure_modes.yaml").read_text(encoding="utf-8")
)
RUNBOOKS = ("operations", "troubleshooting", "store", "finding", "dead-letters", "pulsar", "checks")


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
def test_a_mode_names_signs_that_exist_and_what_to_do(row: str) -> None:
    mode, sign, _, data, action = (cell.strip() for cell in row.strip("|").split(" | "))
    short = {match for match in re.findall(r"`([a-z_]+)(?:\{.*?\})?`", sign) if "_" in match}

    assert mode
    assert data
    assert action
    assert {PREFIX + name for name in short} - exposed() == set()


def test_every_mode_has_tests_that_prove_it() -> None:
    assert [row.strip("|").split(" | ")[0].strip() for row in ROWS] == list(PROOFS)
    assert [mode for mode, files in PROOFS.items() if not files] == []
    assert [file for files in PROOFS.values() for file in files if not (ROOT / "tests" / file).is_file()] == []


@pytest.mark.parametrize("page", RUNBOOKS)
def test_a_runbook_names_no_test(page: str) -> None:
    assert re.findall(r"[\w/]*test_\w+\.py", (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")) == []
