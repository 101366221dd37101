"""The contract that says what a room may import refuses what it should."""

import configparser
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import run
from tests.ground.tree import ROOT, written_python

WIRING = ("agent.__init__", "agent.__main__", "agent.demo")
"""These may import anything."""

MIGRATIONS = (Path("agent/store/migrations"), Path("agent/lookout/store/migrations"))
STORE = Path("agent/store")
"""Its order is Alembic's."""

CONTRACT = """
[importlinter]
root_package = agent
include_external_packages = True
contract_types =
    room: tests.ground.rooms.RoomContract

[importlinter:contract:core]
name = core
type = room
modules = agent.core
rooms = agent.kube.objects
outside =
    re2
    typing
"""

ALLOWED = """\
import re2
from typing import Any
from agent.kube import objects
from agent.core import decide
"""
REFUSED = {
    "import socket": "socket",
    "def f():\n    from google.protobuf import message": "google",
    "from agent.kube import objectstore": "agent.kube.objectstore",
    "import agent.kube": "agent.kube",
}
"""What a module must not do, and the import that is refused then."""


def lint(tree: Path, source: str) -> subprocess.CompletedProcess[str]:
    for room in ("", "core", "kube"):
        (tree / "agent" / room).mkdir(exist_ok=True)
        (tree / "agent" / room / "__init__.py").touch()
    for module in ("kube/objects.py", "kube/objectstore.py"):
        (tree / "agent" / module).touch()
    (tree / "agent" / "core" / "decide.py").write_text(source, encoding="utf-8")
    (tree / ".importlinter").write_text(CONTRACT, encoding="utf-8")
    linter = "from importlinter.cli import lint_imports_command as run; run()"
    environ = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{ROOT}", "NO_COLOR": "1"}
    return run([sys.executable, "-c", linter, "--no-cache"], cwd=tree, env=environ)


@pytest.mark.slow
def test_what_a_room_names_it_may_import(tmp_path: Path) -> None:
    linted = lint(tmp_path, ALLOWED)

    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.slow
def test_what_a_room_does_not_name_is_refused(tmp_path: Path) -> None:
    linted = lint(tmp_path, ALLOWED + "\n".join(REFUSED))

    assert linted.returncode == 1, linted.stdout + linted.stderr
    assert sorted(re.findall(r"agent\.core\.\S+ imports \S+", linted.stdout)) == sorted(
        f"agent.core.decide imports {imported}" for imported in REFUSED.values()
    )


def test_every_room_has_its_contract() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    described = {name for section in contracts.values() for name in section.get("modules", "").split()}
    rooms = {f"agent.{path.parts[1].removesuffix('.py')}" for path in written_python("agent") if len(path.parts) > 1}

    assert {room for room in rooms - described if not room.startswith(WIRING)} == set()


def test_every_folder_of_folders_has_its_order() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    ordered = {section["containers"] for section in contracts.values() if section.get("exhaustive") == "True"}
    packages = {path.parent for path in written_python("agent") if path.name == "__init__.py"}
    of_folders = {package.parent for package in packages if package.parent.name} - {STORE, *MIGRATIONS}

    assert Path("agent/cluster") in of_folders
    assert {".".join(folder.parts) for folder in of_folders} - ordered == set()
