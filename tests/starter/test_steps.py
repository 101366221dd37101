"""The commands that come next work where the user is."""

from pathlib import Path

import pytest

from agent.console.program_paths import ProgramPaths
from agent.starter.files import Part
from agent.starter.steps import next_steps
from tests.child import run

PROGRAM = '#!/bin/sh\necho "$(basename "$0") $*"\n'


@pytest.fixture(name="programs")
def a_folder_with_both_programs(tmp_path: Path) -> Path:
    programs = tmp_path / "clone of it" / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("failure-agent", "failctl"):
        (programs / name).write_text(PROGRAM)
        (programs / name).chmod(0o755)
    return programs


def commands(paths: ProgramPaths, *, folder: Path) -> list[str]:
    steps = next_steps(tuple(Part), ("cluster.yaml", "scheduler.yaml"), folder=folder, paths=paths)
    return [line.strip() for line in steps if line.startswith("  ")]


def printed(lines: list[str], *, here: Path, search_path: str) -> list[str]:
    done = run(["/bin/sh", "-e", "-c", "\n".join(lines)], cwd=here, env={"PATH": f"{search_path}:/usr/bin:/bin"})
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]


EXPECTED = [
    "failctl lint --strict cluster.yaml scheduler.yaml",
    "failure-agent cluster --settings cluster.yaml",
    "failure-agent scheduler --settings scheduler.yaml",
    "failctl get jobs --settings scheduler.yaml",
    "failctl explain JOB --settings scheduler.yaml",
]


@pytest.mark.parametrize("place", [".", "my cluster", "../elsewhere", "a/b/c"])
def test_in_the_clone_or_another_folder(programs: Path, place: str) -> None:
    here = programs.parents[1]
    folder = here if place == "." else here / place
    folder.mkdir(parents=True, exist_ok=True)

    lines = commands(ProgramPaths(here=here, programs=programs, search_path=""), folder=folder)

    assert printed(lines, here=here, search_path="") == EXPECTED
    assert str(programs) not in "\n".join(lines)


def test_behind_a_symlink_the_whole_path_is_given(programs: Path, tmp_path: Path) -> None:
    here = programs.parents[1]
    (tmp_path / "far" / "away").mkdir(parents=True)
    (here / "link").symlink_to(tmp_path / "far" / "away")

    lines = commands(ProgramPaths(here=here, programs=programs, search_path=""), folder=here / "link")

    assert printed(lines, here=here, search_path="") == EXPECTED


def test_a_program_that_is_found_by_its_name_is_called_by_it(programs: Path) -> None:
    paths = ProgramPaths(here=programs.parents[1], programs=programs, search_path=str(programs))

    assert commands(paths, folder=paths.here) == EXPECTED


def test_another_program_of_that_name_is_not_called(programs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "failure-agent").write_text("#!/bin/sh\nexit 9\n")
    (other / "failure-agent").chmod(0o755)
    paths = ProgramPaths(here=programs.parents[1], programs=programs, search_path=str(other))

    assert printed(commands(paths, folder=paths.here), here=paths.here, search_path=str(other)) == EXPECTED


def test_in_the_folder_of_the_programs_they_are_called_with_a_slash(programs: Path) -> None:
    paths = ProgramPaths(here=programs, programs=programs, search_path="")

    assert printed(commands(paths, folder=programs), here=programs, search_path="") == EXPECTED
