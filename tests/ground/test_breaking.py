"""The step that compares the contract with the last release finds what breaks it, and says so when there is none."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.child import output_of, run
from tests.ground.tree import ROOT

pytestmark = pytest.mark.slow

FIELD = """
message Added {
  // Kept for the test.
  string kept = 1;
  // Removed by the test.
  string removed = 2;
}
"""
AUTHOR = {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(tree: Path, *arguments: str) -> None:
    output_of(["git", *arguments], cwd=tree, env={**os.environ, **AUTHOR})


def compare(tree: Path) -> subprocess.CompletedProcess[str]:
    return run([tree / ".ci" / "breaking"], cwd=tree)


def contract(tree: Path) -> Path:
    return tree / "proto" / "agent" / "api" / "v1" / "heartbeat.proto"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    for part in (".ci", "proto"):
        shutil.copytree(ROOT / part, tree / part)
    shutil.copy(ROOT / "buf.yaml", tree)
    with contract(tree).open("a", encoding="utf-8") as file:
        file.write(FIELD)
    git(tree, "init", "--quiet")
    git(tree, "add", ".ci", "proto", "buf.yaml")
    git(tree, "commit", "--quiet", "--message", "A contract")
    (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


def test_without_a_release_it_says_so(tree: Path) -> None:
    compared = compare(tree)

    assert compared.returncode == 0
    assert "No release tag (v*) is known here" in compared.stdout


def test_the_newest_release_counts(tree: Path) -> None:
    for tag in ("v0.9.0", "v0.10.0"):
        git(tree, "tag", tag)

    compared = compare(tree)

    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert "Comparing the contract with v0.10.0." in compared.stdout


def test_a_removed_field_breaks_it(tree: Path) -> None:
    git(tree, "tag", "v0.1.0")
    contract(tree).write_text(
        contract(tree).read_text(encoding="utf-8").replace("  string removed = 2;\n", ""), encoding="utf-8"
    )

    compared = compare(tree)

    assert compared.returncode != 0
    assert 'Previously present field "2" with name "removed"' in compared.stdout + compared.stderr


def test_a_shallow_clone_asks_its_origin_for_the_tags(tree: Path, tmp_path: Path) -> None:
    git(tree, "tag", "v0.1.0")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-tags", tree.as_uri(), str(clone))
    (clone / ".venv").symlink_to(ROOT / ".venv")

    assert "Comparing the contract with v0.1.0." in compare(clone).stdout
