"""What the Dockerfile's build stage runs makes, in an empty directory, something that starts."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.child import output_of
from tests.ground.environment import Installed, bare_environ
from tests.ground.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("installs")]


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as a builder gets it: what .dockerignore lets through."""
    context = tmp_path_factory.mktemp("context")
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[0] == "!"]
    for part in kept:
        (context / part).parent.mkdir(parents=True, exist_ok=True)
        output_of(["cp", "-a", ROOT / part, context / part])
    return context


@pytest.fixture(scope="module")
def built(context: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    target = tmp_path_factory.mktemp("image") / "failure-agent"
    environ = {**bare_environ(Path(sys.prefix) / "bin"), "PYTHON": sys.executable}
    output_of([context / "deploy" / "image" / "build", context, target], cwd=target.parent, env=environ, seconds=120)
    return Installed(target)


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
