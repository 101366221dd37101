"""Generated code and pages are what they are generated from, and a difference is found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import run
from tests.ground.tree import ROOT


def check(tree: Path) -> subprocess.CompletedProcess[str]:
    return run([tree / ".ci" / "generate", "--check"], cwd=tree, seconds=120)


REPLAYED = f"""\
#!/bin/sh
case "$2" in
    tests.docs.*) exec cp "{ROOT}/docs/${{3##*/}}" "$3" ;;
esac
exec "{sys.executable}" "$@"
"""
"""A Python that does not make pages, which takes seconds, but takes those that are committed."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what is generated and of what it is generated from."""
    without_caches = shutil.ignore_patterns("__pycache__")
    for part in (".ci", "proto", "docs", "agent"):
        shutil.copytree(ROOT / part, tmp_path / part, symlinks=True, ignore=without_caches)
    for part in (".venv", "config", "tests"):
        (tmp_path / part).symlink_to(ROOT / part)
    return tmp_path


@pytest.fixture
def replayed(tree: Path) -> Path:
    """Such a tree in which a check takes no time for pages: they are what the code gives, or the first test fails."""
    (tree / ".venv").unlink()
    python = tree / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(REPLAYED, encoding="utf-8")
    python.chmod(0o700)
    return tree


@pytest.mark.slow
def test_generated_files_are_what_they_are_generated_from(tree: Path) -> None:
    checked = check(tree)

    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_where_nothing_was_changed_nothing_is_found(replayed: Path) -> None:
    checked = check(replayed)

    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_a_changed_contract_is_found(replayed: Path) -> None:
    contract = replayed / "proto" / "agent" / "api" / "v1" / "heartbeat.proto"
    contract.write_text(contract.read_text(encoding="utf-8") + "\nmessage Added {}\n", encoding="utf-8")

    checked = check(replayed)

    assert checked.returncode == 1
    assert "heartbeat_pb2.py" in checked.stdout + checked.stderr


@pytest.mark.slow
def test_generated_code_without_a_contract_is_found(replayed: Path) -> None:
    (replayed / "agent" / "api" / "v1" / "gone_pb2.py").touch()

    checked = check(replayed)

    assert checked.returncode == 1
    assert "gone_pb2.py: nothing in proto gives it" in checked.stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/settings.md", "docs/finding.md", "docs/explain.svg"])
def test_a_page_that_was_edited_is_found(replayed: Path, page: str) -> None:
    committed = replayed / page
    committed.write_text(committed.read_text(encoding="utf-8") + "\n", encoding="utf-8")

    checked = check(replayed)

    assert checked.returncode == 1
    assert page in checked.stdout + checked.stderr
