"""Runbooks name metrics that exist, and no tests: those of each failure mode stand in ``failure_modes.yaml``."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from prometheus_client import Metric

from agent.telemetry import (
    admission_metrics,
    broker_metrics,
    cluster_metrics,
    configuration_metrics,
    lookout_metrics,
    scheduler_metrics,
)
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, line_at, text_of
from tests.tables import table

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
MODES = PAGE.partition("## When things fail")[2].partition("\n## ")[0]
ROWS = [line for line in MODES.splitlines() if line.startswith("|")][2:]
MODULES = (
    admission_metrics,
    broker_metrics,
    cluster_metrics,
    configuration_metrics,
    lookout_metrics,
    scheduler_metrics,
)
PREFIX = "failure_agent_"
PROOFS: dict[str, list[str]] = table(Path(__file__).parent / "failure_modes.yaml")
RUNBOOKS = (
    "operations",
    "plain-jobs",
    "troubleshooting",
    "store",
    "finding",
    "dead-letters",
    "pulsar",
    "checks",
    "lookout",
)


def families() -> list[Metric]:
    found = [value for module in MODULES for name, value in vars(module).items() if name.isupper() and name[0] != "_"]
    return [family for each in found for family in each.describe()]


@cache
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


def faults(row: str) -> Iterator[str]:
    """The cells of a mode that are empty, and the metrics in its signs that do not exist."""
    mode, sign, _, data, action = (cell.strip() for cell in row.strip("|").split(" | "))
    for column, cell in {"what fails": mode, "what happens to data": data, "do": action}.items():
        if not cell:
            yield f"{mode or row[:60]}: the column {column!r} is empty"
    short = {name for name in re.findall(r"`([a-z_]+)(?:\{.*?\})?`", sign) if "_" in name}
    for name in sorted(short):
        if PREFIX + name not in exposed():
            yield f"{mode}: {name}: there is no such metric, see agent/telemetry"


def named_tests(page: Path) -> Iterator[str]:
    text = text_of(page) or ""
    for test in re.finditer(r"[\w/]*test_\w+\.py", text):
        yield f"{page}:{line_at(text, test.start())}: {test[0]}: name tests in tests/ground/failure_modes.yaml"


def test_a_mode_names_signs_that_exist_and_what_to_do() -> None:
    assert_no_findings(faults, ROWS)


def test_every_mode_has_tests_that_prove_it() -> None:
    assert [row.strip("|").split(" | ")[0].strip() for row in ROWS] == list(PROOFS)
    assert [mode for mode, files in PROOFS.items() if not files] == []
    assert [file for files in PROOFS.values() for file in files if not (ROOT / "tests" / file).is_file()] == []


def test_a_runbook_names_no_test() -> None:
    assert_no_findings(named_tests, [Path("docs", f"{name}.md") for name in RUNBOOKS])


def test_what_a_mode_lacks_is_found() -> None:
    assert list(faults("| disk full | `publish_connected`, `no_such{a}` | alarm |  | do |")) == [
        "disk full: the column 'what happens to data' is empty",
        "disk full: no_such: there is no such metric, see agent/telemetry",
    ]


def test_a_test_that_a_page_names_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("See\n`tests/test_a.py`.\n", encoding="utf-8")

    assert list(named_tests(page)) == [f"{page}:2: tests/test_a.py: name tests in tests/ground/failure_modes.yaml"]
