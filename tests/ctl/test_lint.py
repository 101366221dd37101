import io
from pathlib import Path

import pytest

from agent.ctl.console.exits import Exit, UsageError
from agent.ctl.lint import LintRequest, run

RULES = """\
errorCategories:
  - name: killed
    rules:
      - onPodEvents: {type: Normal, reason: Killing, regexp: "Stopping"}
"""
SETTINGS = """\
cluster: east
categories: {rules}
broker: {{url: "sqlite:///log"}}
spool: {{path: spool.db}}
watch: {{normalEvents: {normal}}}
"""


def linted(request: LintRequest) -> tuple[Exit, str]:
    out = io.StringIO()
    return run(request, environ={}, out=out), out.getvalue()


def files(folder: Path, *, normal: str) -> tuple[Path, Path]:
    rules, settings = folder / "rules.yaml", folder / "settings.yaml"
    rules.write_text(RULES, encoding="utf-8")
    settings.write_text(SETTINGS.format(rules=rules, normal=normal), encoding="utf-8")
    return rules, settings


def test_the_settings_name_the_rules_and_what_they_may_ask_for(tmp_path: Path) -> None:
    rules, settings = files(tmp_path, normal="false")

    code, said = linted(LintRequest(files=(), settings=settings))

    assert code is Exit.FINDING
    assert f"{rules}:4:29: errorCategories[0].rules[0].onPodEvents.type: Normal events are not watched" in said
    assert linted(LintRequest(files=[rules], settings=settings)) == (code, said)


def test_events_that_are_watched_are_only_remarked_on(tmp_path: Path) -> None:
    _, settings = files(tmp_path, normal="true")

    assert "warning" in linted(LintRequest(files=(), settings=settings))[1]


def test_nothing_to_lint_and_settings_that_are_none_are_wrong_usage(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("cluster: EAST\n", encoding="utf-8")

    with pytest.raises(UsageError, match="nothing to lint"):
        run(LintRequest(files=()), environ={}, out=io.StringIO())
    with pytest.raises(UsageError, match=r"settings\.yaml:1:10: cluster"):
        run(LintRequest(files=(), settings=settings), environ={}, out=io.StringIO())
