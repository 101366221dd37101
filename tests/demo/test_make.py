"""``make demo`` where the pages of Lookout cannot be built, or are not to be: it says so, and runs without them."""

import os
import re
import shutil
import signal
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.child import PIPE, STDOUT, Child, run
from tests.ground.tree import ROOT

pytestmark = pytest.mark.slow

MAKE = ("make", "--no-print-directory", "--old-file=setup", "demo")
NOBODY = "http://127.0.0.1:1"
"""A registry that does not answer."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clone in which ``make setup`` was done, and the pages were never built."""
    here = tmp_path / "clone"
    shutil.copytree(ROOT / "ui", here / "ui", ignore=shutil.ignore_patterns("node_modules", "dist"))
    link(("Makefile", ".venv", "docs", "config", "locks", "pyproject.toml"), ROOT, here)
    link((path.name for path in (ROOT / "agent").iterdir() if path.name != "lookout"), ROOT / "agent", here / "agent")
    lookout = ROOT / "agent" / "lookout"
    link((path.name for path in lookout.iterdir() if path.name != "pages"), lookout, here / "agent" / "lookout")
    return here


def link(names: Iterable[str], source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for name in names:
        (target / name).symlink_to(source / name)


def environ(tree: Path, **given: str) -> dict[str, str]:
    """For a npm that has downloaded nothing yet."""
    npm = {"npm_config_registry": f"{NOBODY}/", "npm_config_cache": str(tree / "npm")}
    return {**os.environ, **npm, "PYTHONPATH": str(tree), "AGENT_SKIP_UI": "", **given}


def test_without_a_registry_it_says_so_and_runs_without_pages(tree: Path) -> None:
    with Child([*MAKE, "ARGS=--for 5s"], cwd=tree, env=environ(tree), stdout=PIPE, stderr=STDOUT) as demo:
        before = list(takewhile(lambda line: not line.startswith("  curl "), demo.lines()))
        said = " ".join("".join(before).split())
        (address,) = re.findall(r"Lookout answers at (\S+) without pages, because they are not built\.", said)
        with urlopen(address, timeout=30) as answer:  # noqa: S310 - of this machine
            page = answer.read().decode()
        demo.send(signal.SIGTERM)
        demo.rest()

    assert f"the npm registry {NOBODY} does not answer" in said
    assert "make: ***" not in said
    assert "make ui" in page


def test_what_is_to_be_left_out_is_not_tried(tree: Path) -> None:
    ran = run([*MAKE, "ARGS=--help"], cwd=tree, env=environ(tree, AGENT_SKIP_UI="1"))

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Usage: failure-agent demo")
