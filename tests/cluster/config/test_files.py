"""Which files a configuration is read from."""

from pathlib import Path

from agent.cluster.config.files import configuration_files
from agent.shipped import RULES, shipped

SETTINGS = """
cluster: east
broker: {url: "sqlite:///event-log.db"}
spool: {path: spool.db}
"""
OURS = "errorCategories: [{name: ours, rules: [{onExitCodes: {operator: In, values: [3]}}]}]\n"


def test_without_categories_the_shipped_rules_are_in_force(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(SETTINGS, encoding="utf-8")
    unnamed = configuration_files(file, {}).read()
    named = configuration_files(file, {"FAILURE_AGENT_CATEGORIES": str(shipped(RULES))}).read()

    assert unnamed.value.revision == named.value.revision
    assert set(unnamed.seen) == {file, shipped(RULES)}


def test_with_categories_only_those_are(tmp_path: Path) -> None:
    file, ours = tmp_path / "cluster.yaml", tmp_path / "ours.yaml"
    file.write_text(f"{SETTINGS}categories: {ours}\n", encoding="utf-8")
    ours.write_text(OURS, encoding="utf-8")

    assert set(configuration_files(file, {}).read().seen) == {file, ours}
