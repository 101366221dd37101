import io
from pathlib import Path

import pytest

from tests.servers.postgres_program import TOOLS, PostgresProgram, find_installed, tools_of
from tests.servers.progress import Progress

USUAL = "tests.servers.postgres_program._USUAL"


def install(folder: Path, *tools: str, says: str = "postgres (PostgreSQL) 1") -> Path:
    folder.mkdir(parents=True)
    for tool in tools:
        (folder / tool).write_text(f"#!/bin/sh\necho '{says}'\n")
        (folder / tool).chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(USUAL, (f"{tmp_path}/usual/*/bin",))
    monkeypatch.setenv("PATH", f"{tmp_path}/path")


def test_without_any_there_is_none(tmp_path: Path) -> None:
    install(tmp_path / "path", "initdb")
    assert find_installed({"PATH": f"{tmp_path}/path"}) is None


def test_what_is_on_the_path_comes_first_wherever_it_links_to(tmp_path: Path) -> None:
    real = install(tmp_path / "opt" / "bin", *TOOLS)
    install(tmp_path / "usual" / "15" / "bin", *TOOLS)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "initdb").symlink_to(real / "initdb")

    assert find_installed({"PATH": f"{tmp_path}/path"}) == real


def test_else_it_is_the_newest_in_the_usual_places(tmp_path: Path) -> None:
    for version in ("9", "15", "14"):
        install(tmp_path / "usual" / version / "bin", *TOOLS)
    install(tmp_path / "usual" / "16" / "bin", "initdb")

    assert find_installed({"PATH": ""}) == tmp_path / "usual" / "15" / "bin"


def test_it_is_told_by_its_place_and_version(tmp_path: Path) -> None:
    none = PostgresProgram().key()
    first = install(tmp_path / "usual" / "15" / "bin", *TOOLS)
    one = PostgresProgram().key()
    (first / "postgres").write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 2'\n")

    assert len({none, one, PostgresProgram().key()}) == 3


def test_of_what_is_installed_only_the_place_is_kept(tmp_path: Path) -> None:
    tools = install(tmp_path / "usual" / "15" / "bin", *TOOLS)
    program = tmp_path / "program"
    program.mkdir()

    PostgresProgram().build(program, jobs=1, progress=Progress(io.StringIO(), clock=lambda: 0.0))

    assert tools_of(program) == tools
