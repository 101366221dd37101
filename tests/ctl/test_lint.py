import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from agent.console.exits import Exit, UsageError
from agent.ctl.lint import LintRequest, run
from agent.documents.compose import read
from agent.manifests.retry.load import check_retry_policy

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


POLICY = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {{name: {name}}}
spec: {{defaultAction: Fail, retryLimit: 3, rules: [{{name: again, onCategory: killed, action: Retry}}]}}
"""


@contextmanager
def calls() -> Iterator[Counter[CodeType]]:
    """Count the calls of every function meanwhile, by its code."""
    counted: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - as sys.setprofile has it
        if event == "call":
            counted[frame.f_code] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(before)


def test_each_text_is_composed_once_and_each_policy_checked_once(tmp_path: Path) -> None:
    rules, one, two = (tmp_path / name for name in ("rules.yaml", "one.yaml", "two.yaml"))
    rules.write_text(RULES, encoding="utf-8")
    one.write_text(POLICY.format(name="a") + "---\n" + POLICY.format(name="b"), encoding="utf-8")
    two.write_text(POLICY.format(name="c"), encoding="utf-8")

    with calls() as counted:
        code, said = linted(LintRequest(files=[one, two, rules], rules=[rules]))

    assert (code, said.splitlines()[-1]) == (Exit.FINDING, "3 files: 1 to fix")
    assert counted[read.__code__] == 3
    assert counted[check_retry_policy.__code__] == 3
