"""Generated code is what the contract gives, and a difference is found."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.ground.tree import ROOT


def check(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / ".ci" / "generate", "--check"], cwd=tree, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for part in (".ci", "proto"):
        shutil.copytree(ROOT / part, tmp_path / part)
    shutil.copytree(ROOT / "agent" / "api", tmp_path / "agent" / "api")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


@pytest.mark.slow
def test_generated_code_is_what_the_contract_gives(tree: Path) -> None:
    checked = check(tree)

    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_a_changed_contract_is_found(tree: Path) -> None:
    contract = tree / "proto" / "agent" / "api" / "v1" / "heartbeat.proto"
    contract.write_text(contract.read_text(encoding="utf-8") + "\nmessage Added {}\n", encoding="utf-8")

    checked = check(tree)

    assert checked.returncode == 1
    assert "heartbeat_pb2.py" in checked.stdout + checked.stderr


@pytest.mark.slow
def test_generated_code_without_a_contract_is_found(tree: Path) -> None:
    (tree / "agent" / "api" / "v1" / "gone_pb2.py").touch()

    checked = check(tree)

    assert checked.returncode == 1
    assert "gone_pb2.py: nothing in proto gives it" in checked.stdout
