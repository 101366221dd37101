"""The wheel, in an empty environment with only what the runtime lock names, does what the tree does."""

import json
import sys
from pathlib import Path

import pytest

from tests.child import output_of
from tests.ground.environment import Installed, bare_environ
from tests.ground.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("installs")]

BIN = Path(sys.prefix) / "bin"

INSTALLED = 120.0
"""Seconds: all that the runtime lock names may have to be fetched."""

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


def install(*arguments: object) -> None:
    output_of([str(argument) for argument in arguments], cwd=ROOT, env=bare_environ(BIN), seconds=INSTALLED)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("wheel")
    path = place / "environment"
    python = path / "bin" / "python"
    install(BIN / "hatchling", "build", "-t", "wheel", "-d", place)
    (wheel,) = place.glob("*.whl")
    install(BIN / "uv", "venv", "--quiet", "--python", sys.executable, path)
    install(BIN / "uv", "pip", "sync", "--quiet", "--python", python, "--require-hashes", "locks/runtime.txt")
    install(BIN / "uv", "pip", "install", "--quiet", "--python", python, "--no-deps", wheel)
    return Installed(path)


def test_what_runs_is_what_was_installed(installed: Installed) -> None:
    place = installed.says("python", "-c", "import agent; print(agent.__file__)").strip()

    assert installed.path in Path(place).parents


@pytest.mark.parametrize("command", ["failure-agent", "failctl"])
def test_both_commands_start(installed: Installed, command: str) -> None:
    assert "Usage" in installed.says(command, "--help")


def test_the_packaged_rules_classify_a_pod(installed: Installed, tmp_path: Path) -> None:
    pod = tmp_path / "pod.json"
    pod.write_text(json.dumps(OOM_POD), encoding="utf-8")

    assert "oom" in installed.says("failctl", "classify", "-f", str(pod), "-o", "json")
    read = "from agent.compiled_rules.file import compiled_file as c, read_compiled as r; print(type(r(c())).__name__)"
    assert installed.says("python", "-c", read) == "Compiled\n"


def test_every_shipped_file_is_in_the_wheel(installed: Installed) -> None:
    listed = installed.says(
        "python",
        "-c",
        "from agent.shipped import shipped as s; print(*(p.name for p in s('error-categories.yaml').parent.iterdir()))",
    )
    assert set(listed.split()) == {entry.name for entry in (ROOT / "config").iterdir()}
