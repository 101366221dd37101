"""What an agent logs of its rules: that it cannot use the compiled ones, and that there are few."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from agent import rule_files
from agent.cluster.config.files import Configuration, configuration_files, reloader
from agent.cluster.config.rules import read_rules
from agent.settings.cluster import RedactionSettings


def test_compiled_rules_that_do_not_fit_are_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, damaged = tmp_path / "rules.yaml", tmp_path / "damaged.msgpack"
    rules.write_text("order: evidence\npacks: [r]\n", encoding="utf-8")
    damaged.write_bytes(b"?")
    monkeypatch.setattr(rule_files, "compiled_file", lambda: damaged)

    with capture_logs() as logs:
        assert read_rules(rules, RedactionSettings()).categories

    slower = "so the rules are read from YAML, which takes longer; `python -m agent.rule_files` makes it again"
    said = f"{damaged} is damaged, {slower}"
    assert [(line["log_level"], line["event"]) for line in logs] == [("warning", said)]


ONE_RULE = """\
order: evidence
errorCategories:
  - {name: memory, rules: [{onConditions: [OOMKilled]}]}
"""


@pytest.mark.parametrize(("packs", "warned"), [("", [1]), ("packs: [shipped]\n", []), ("packs: [kubernetes]\n", [])])
def test_rules_without_any_that_ship_are_warned_of(tmp_path: Path, packs: str, warned: list[int]) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(ONE_RULE + packs, encoding="utf-8")

    with capture_logs() as logs:
        rules = read_rules(file, RedactionSettings())

    assert [line["rules"] for line in logs if "no pack that ships is used" in line["event"]] == warned
    assert (rules.count == 1) is bool(warned)


@pytest.mark.parametrize(
    ("order", "fix"),
    [("order: evidence\n", ["packs: [shipped]"]), ("order: file\n", ["packs: [shipped]", "order: evidence"])],
)
def test_the_warning_names_the_lines_that_add_the_packs_that_ship(tmp_path: Path, order: str, fix: list[str]) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(ONE_RULE.replace("order: evidence\n", order), encoding="utf-8")

    with capture_logs() as logs:
        read_rules(file, RedactionSettings())

    assert [list(line["fix"]) for line in logs if "no pack that ships is used" in line["event"]] == [fix]


def test_what_is_read_again_says_how_many_rules_there_were_and_are(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(ONE_RULE + "packs: [shipped]\n", encoding="utf-8")
    overrides = {"cluster": "east", "categories": str(file), "broker.url": "sqlite:///log", "spool.path": "spool.db"}
    files = configuration_files(None, {}, overrides)
    used: list[Configuration] = []
    reloading = reloader(files.read(), files, use=used.append)

    file.write_text(ONE_RULE, encoding="utf-8")
    with capture_logs() as logs:
        for _ in range(2):
            reloading.look()

    (line,) = [line for line in logs if line["event"] == "settings and rules were read again"]
    assert (line["count_before"] > 800, line["count"]) == (True, 1)
    assert [configuration.rules.count for configuration in used] == [1]
