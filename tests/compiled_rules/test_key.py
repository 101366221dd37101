"""The key of compiled rules changes with what they are compiled from, and with nothing else."""

import shutil
from pathlib import Path

import pytest

from agent.compiled_rules.key import current_key, key_of
from tests.ground.tree import ROOT


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for folder in ("config", "compiled_rules", "documents", "manifests"):
        ignore = shutil.ignore_patterns("__pycache__", "*.xz", "*.msgpack")
        shutil.copytree(ROOT / "agent" / folder, tmp_path / folder, ignore=ignore)
    return tmp_path


def test_it_is_the_same_wherever_the_package_is(package: Path) -> None:
    (package / "config/error-codes.yaml").write_text("other", encoding="utf-8")

    assert key_of(package) == current_key()


@pytest.mark.parametrize(
    "changed",
    [
        "config/error-categories.yaml",
        "config/packs/nvidia.yaml",
        "documents/scalar.py",
        "manifests/categories/compile.py",
        "manifests/fields.py",
        "manifests/matchers/facts.py",
    ],
)
def test_it_changes_with_rules_and_code(package: Path, changed: str) -> None:
    with (package / changed).open("a", encoding="utf-8") as file:
        file.write("\n")

    assert key_of(package) != current_key()


def test_it_changes_with_the_names_of_files(package: Path) -> None:
    (package / "config/packs/nvidia.yaml").rename(package / "config/packs/nvidiat.yaml")

    assert key_of(package) != current_key()
