"""A command that we print works where it is pasted."""

from pathlib import Path

import pytest

from agent.console.program_paths import ProgramPaths


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".venv" / "bin"
    folder.mkdir(parents=True)
    program = folder / "failctl"
    program.touch(mode=0o755)
    return folder


def spelled(programs: Path, here: Path, *, search_path: str = "") -> str:
    return ProgramPaths(here=here, programs=programs, search_path=search_path).spell("failctl")


def test_what_the_path_leads_to_is_called_by_its_name(programs: Path, tmp_path: Path) -> None:
    assert spelled(programs, tmp_path, search_path=str(programs)) == "failctl"


def test_another_program_of_that_name_is_not_meant(programs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "failctl").touch(mode=0o755)

    assert spelled(programs, programs.parents[1], search_path=f"{other}:{programs}") == ".venv/bin/failctl"


def test_from_the_project_the_path_is_short(programs: Path) -> None:
    assert spelled(programs, programs.parents[1]) == ".venv/bin/failctl"
    assert spelled(programs, programs) == "./failctl"


def test_from_far_away_the_path_is_whole(programs: Path) -> None:
    assert spelled(programs, Path("/usr/share/doc")) == str(programs / "failctl")


def test_behind_a_link_the_path_is_whole(programs: Path, tmp_path: Path) -> None:
    deep = tmp_path / "elsewhere" / "a" / "b"
    deep.mkdir(parents=True)
    link = programs.parents[1] / "link"
    link.symlink_to(deep)

    assert spelled(programs, link) == str(programs / "failctl")


def test_a_blank_in_the_path_is_quoted(tmp_path: Path) -> None:
    assert spelled(tmp_path / "my venv" / "bin", tmp_path) == "'my venv/bin/failctl'"


def test_a_link_to_one_program_does_not_lead_to_the_other(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "links" / "failure-agent"
    link.parent.mkdir()
    link.symlink_to(programs / "failctl")
    monkeypatch.setattr("sys.argv", [str(link)])
    monkeypatch.setattr("sys.executable", str(programs / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(programs.parents[1])

    assert ProgramPaths.current().spell("failctl") == ".venv/bin/failctl"


def test_without_a_program_of_ours_the_folder_of_python_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    current = ProgramPaths.current()

    assert current.here == Path.cwd()
    assert Path(current.programs, "python").exists()
