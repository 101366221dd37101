"""An agent logs that it cannot use the compiled rules, and goes on without them."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from agent import rule_files
from agent.cluster.config.rules import read_rules
from agent.settings.cluster import RedactionSettings


def test_compiled_rules_that_do_not_fit_are_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, damaged = tmp_path / "rules.yaml", tmp_path / "damaged.msgpack"
    rules.write_text("order: evidence\npacks: [r]\n", encoding="utf-8")
    damaged.write_bytes(b"?")
    monkeypatch.setattr(rule_files, "compiled_file", lambda: damaged)

    with capture_logs() as logs:
        assert read_rules(rules, RedactionSettings()).categories

    said = f"{damaged} is damaged, so the rules are read from YAML, which takes longer"
    assert [(line["log_level"], line["event"]) for line in logs] == [("warning", said)]
