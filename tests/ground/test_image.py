"""What the Dockerfile's build stage runs makes, in an empty directory, something that starts."""

import os
import re
from pathlib import Path

import pytest

from tests.ground.environment import Installed
from tests.ground.tree import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),  # the first test builds the wheel and installs it, beside all other tests
    pytest.mark.xdist_group("installs"),
]


def test_the_build_stage_runs_that_script() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert re.findall(r'^RUN \["/src/(.*?)",', dockerfile, flags=re.MULTILINE) == ["deploy/image/build"]
    assert os.access(ROOT / "deploy" / "image" / "build", os.X_OK)


@pytest.mark.parametrize(
    "command",
    [
        ["failure-agent", "--help"],
        ["failure-agent", "cluster", "--help"],
        ["failure-agent", "scheduler", "--help"],
        ["failure-agent", "simulator", "--help"],
        ["failctl", "--help"],
    ],
    ids=" ".join,
)
def test_what_is_built_starts(built: Installed, command: list[str]) -> None:
    assert "Usage" in built.says(*command) or "usage" in built.says(*command)


def test_nothing_but_the_runtime_lock_is_in_it(built: Installed) -> None:
    listed = built.says(
        "python", "-c", "from importlib.metadata import distributions as d; print(*(x.name for x in d()), sep='\\n')"
    )
    lock = (ROOT / "locks" / "runtime.txt").read_text(encoding="utf-8")
    locked = {name.lower() for name in re.findall(r"^([A-Za-z0-9._-]+)==", lock, flags=re.MULTILINE)}

    assert {re.sub(r"[._-]+", "-", name.lower()) for name in listed.split()} <= locked | {"failure-agent"}


def test_it_runs_where_nothing_can_be_written(built: Installed, tmp_path: Path) -> None:
    before = sorted(built.path.rglob("*"))

    built.run("failure-agent", "--help", cwd=tmp_path)

    assert sorted(built.path.rglob("*")) == before
    assert list(tmp_path.iterdir()) == []
