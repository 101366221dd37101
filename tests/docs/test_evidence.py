"""docs/evidence.md shows what failctl says of the failure that it follows, and names every mechanism and group."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.core.classify.grouping import EvidenceGroup
from agent.core.failure import Mechanism
from agent.ctl.classify.answers import Shown
from agent.ctl.classify.classify import ClassifyRequest, run
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
BLOCKS = [[line[4:] for line in block.strip("\n").split("\n")] for block in re.findall(r"(?m)(?:^    .*\n)+", PAGE)]
SAID, SHOWN = BLOCKS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def bundle() -> dict[str, object]:
    """The failure of the page."""
    steps = [f"loading shard {number}" for number in range(74, 84)]
    message = "\n".join(line for part in SAID for line in (steps if part == "..." else [part])) + "\n"
    ended = {"exitCode": 1, "reason": "Error", "message": message}
    status = {"phase": "Failed", "containerStatuses": [{"name": "main", "state": {"terminated": ended}}]}
    pod = {"kind": "Pod", "metadata": {"name": "train-7-0", "namespace": "ml"}, "spec": {"nodeName": "gpu-17"}}
    conditions = [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "True"}]
    return {"pod": pod | {"status": status}, "node": {"name": "gpu-17", "conditions": conditions}}


def test_the_failure_of_the_page_is_shown_like_this(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    file, out = tmp_path / "pod.jsonl", Terminal()
    file.write_text(json.dumps(bundle()))
    run(ClassifyRequest(files=[file], rules=None, shown=Shown()), out=out, err=io.StringIO())
    lines = iter(out.getvalue().splitlines())

    for expected in (line for line in SHOWN if line != "..."):
        assert expected in lines, expected


def unnamed(name: str) -> Iterator[str]:
    if f"`{name}`" not in PAGE:
        yield f"docs/evidence.md: does not explain `{name}`"


def test_every_mechanism_is_named() -> None:
    assert_no_findings(unnamed, Mechanism)


def test_a_mechanism_that_is_not_named_is_found() -> None:
    assert list(unnamed("telepathy")) == ["docs/evidence.md: does not explain `telepathy`"]


def test_there_are_as_many_groups_as_the_program_has_that_may_decide() -> None:
    groups = re.findall(r"(?m)^   \d\. ", PAGE)

    assert len(groups) == len(set(EvidenceGroup) - {EvidenceGroup.SURVIVED})
