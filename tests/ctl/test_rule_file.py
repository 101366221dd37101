"""If a command cannot use the compiled rules, it says so and reads the YAML."""

from pathlib import Path

import pytest

from agent import rule_files
from agent.ctl.rule_file import load_rules


def test_compiled_rules_that_do_not_fit_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, damaged = tmp_path / "rules.yaml", tmp_path / "damaged.msgpack"
    rules.write_text("order: evidence\npacks: [r]\n", encoding="utf-8")
    damaged.write_bytes(b"?")
    monkeypatch.setattr(rule_files, "compiled_file", lambda: damaged)

    assert [category.pack for category in load_rules(rules).categories] == ["r", "r"]
    slower = "so the rules are read from YAML, which takes longer; `python -m agent.rule_files` makes it again"
    said = f"failctl: {damaged} is damaged, {slower}\n"
    assert capsys.readouterr() == ("", said)
