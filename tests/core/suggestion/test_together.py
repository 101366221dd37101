"""Whether pods need one another, by example: the Jobs are in together.yaml next to this file."""

from pathlib import Path
from typing import Any

import pytest

from agent.core.suggestion.together import judge
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).with_name("together.yaml"))


def job(case: dict[str, Any]) -> dict[str, Any]:
    container = {
        "name": "main",
        "command": case.get("command", []),
        "env": case.get("env", []),
        "resources": {"limits": {"nvidia.com/gpu": 1} if case.get("gpu") else {"cpu": "1"}},
    }
    template = {
        "metadata": {"labels": case.get("labels", {})},
        "spec": {"containers": [container], **case.get("pod", {})},
    }
    return {
        "metadata": {"name": "train", "annotations": case.get("annotations", {})},
        "spec": {**case["spec"], "template": template},
    }


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_relation_of_pods_is_known_by_a_sign(case: dict[str, Any]) -> None:
    judged = judge(job(case), services=case.get("services", []))

    assert judged.relation == case["relation"], judged.because
    assert case["because"] in judged.because
