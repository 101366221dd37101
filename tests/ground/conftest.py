"""What the Dockerfile's build stage makes: the tests of the image and of the wheel in it share one."""

import sys
from pathlib import Path

import pytest

from tests.child import output_of
from tests.ground.environment import Installed, bare_environ
from tests.ground.tree import ROOT


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as a builder gets it: what .dockerignore lets through."""
    context = tmp_path_factory.mktemp("context")
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[0] == "!"]
    for part in kept:
        (context / part).parent.mkdir(parents=True, exist_ok=True)
        output_of(["cp", "-a", ROOT / part, context / part])
    return context


@pytest.fixture(scope="session")
def built(context: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Also an empty environment with the wheel in it, and only what the runtime lock names."""
    target = tmp_path_factory.mktemp("image") / "failure-agent"
    environ = {**bare_environ(Path(sys.prefix) / "bin"), "PYTHON": sys.executable}
    output_of([context / "deploy" / "image" / "build", context, target], cwd=target.parent, env=environ, seconds=120)
    return Installed(target)
