"""Which container decides where several ended, by the table beside this file and the shipped rules."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from agent.core.classify.followers import followers
from agent.core.failure_text.category import leaf
from agent.core.failure_text.ending import exit_code
from agent.shipped import shipped
from tests.config.subjects import ask, diagnoser

ROWS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").with_stem("sidecars").read_text("utf-8")
)
STARTED: Final = datetime(2026, 3, 1, 10, tzinfo=UTC)
LINE: Final = re.compile(
    r"(?:(?P<kind>init|native) )?(?P<name>\S+): (?P<code>\d+)(?: (?P<reason>[A-Z]\w+))?"
    r"(?: at (?P<at>\d+))?(?: said (?P<said>.*))?"
)


def _status(line: re.Match[str]) -> dict[str, Any]:
    code = int(line["code"])
    ended = {"exitCode": code, "reason": line["reason"] or ("Error" if code else "Completed")}
    if line["at"]:
        ended["finishedAt"] = (STARTED + timedelta(seconds=int(line["at"]))).isoformat()
    return {
        "name": line["name"],
        "state": {"terminated": {**ended, "message": (line["said"] or "").replace("\\n", "\n")}},
    }


def _pod(row: dict[str, Any]) -> dict[str, Any]:
    lines = [line for text in row["pod"] if (line := LINE.fullmatch(text))]
    assert len(lines) == len(row["pod"]), row["pod"]
    apps = [line for line in lines if line["kind"] is None]
    inits = [line for line in lines if line["kind"] is not None]
    annotations = {"failure-agent.dev/containers": row["submitted"]} if "submitted" in row else {}
    native = {line["name"]: {"restartPolicy": "Always"} if line["kind"] == "native" else {} for line in inits}
    return {
        "kind": "Pod",
        "metadata": {"name": "a", "uid": "a", "annotations": annotations},
        "spec": {
            "containers": [{"name": line["name"]} for line in apps],
            "initContainers": [{"name": name, **more} for name, more in native.items()],
        },
        "status": {
            "phase": row.get("phase", "Failed"),
            "containerStatuses": [_status(line) for line in apps],
            "initContainerStatuses": [_status(line) for line in inits],
        },
    }


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_container_that_decides_where(row: dict[str, Any]) -> None:
    events = [{"type": "Normal", "reason": reason, "message": message} for reason, message in row.get("events", ())]
    failure = ask(diagnoser(shipped("error-categories.yaml")), {"pod": _pod(row), "events": events}).failure

    if "leaf" not in row:
        assert failure is None
        return
    assert failure is not None
    given = failure.classification
    assert (leaf(given.category, given.subcategory), failure.culprit_container) == (row["leaf"], row["of"])
    assert exit_code(failure) == row["exit"]
    assert sorted(followers(failure.pod.containers)) == row.get("follow", [])
    if "follow" in row:
        assert (failure.container_name, failure.exit_code) == (row["of"], row["exit"])
        assert {one.match.container for one in given.hypotheses} <= {"", *row["follow"]}
