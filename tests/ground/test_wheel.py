"""The wheel, in an empty environment with only what the runtime lock names, does what the tree does."""

import json
from pathlib import Path

import pytest

from tests.ground.environment import Installed
from tests.ground.tree import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),  # the first test builds the wheel and installs it, beside all other tests
    pytest.mark.xdist_group("installs"),
]

OOM_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "train-0", "namespace": "default", "uid": "0b0e6c0e-0000-4000-8000-000000000001"},
    "status": {
        "phase": "Failed",
        "containerStatuses": [
            {
                "name": "train",
                "image": "train:1",
                "restartCount": 0,
                "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
            }
        ],
    },
}


def test_what_runs_is_what_was_installed(built: Installed) -> None:
    place = built.says("python", "-c", "import agent; print(agent.__file__)").strip()

    assert built.path in Path(place).parents


def test_the_packaged_rules_classify_a_pod(built: Installed, tmp_path: Path) -> None:
    pod = tmp_path / "pod.json"
    pod.write_text(json.dumps(OOM_POD), encoding="utf-8")

    assert "oom" in built.says("failctl", "classify", "-f", str(pod), "-o", "json")
    read = "from agent.compiled_rules.file import compiled_file as c, read_compiled as r; print(type(r(c())).__name__)"
    assert built.says("python", "-c", read) == "Compiled\n"


def test_every_shipped_file_is_in_the_wheel(built: Installed) -> None:
    listed = built.says(
        "python",
        "-c",
        "from agent.shipped import shipped as s; print(*(p.name for p in s('error-categories.yaml').parent.iterdir()))",
    )
    assert set(listed.split()) == {entry.name for entry in (ROOT / "config").iterdir()}
