"""``failure-agent init``: what it writes, what it refuses, and that both processes start with it."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.starter.command import app
from agent.starter.files import Part, starter_files
from tests.child import run

CLUSTER, SCHEDULER = ["cluster.yaml", "error-categories.yaml"], ["scheduler.yaml", "retry-policy.yaml"]


@pytest.fixture(name="here", autouse=True)
def an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("words", "written"), [((), [*CLUSTER, *SCHEDULER]), (("cluster",), CLUSTER), (("scheduler",), SCHEDULER)]
)
def test_it_writes_the_files_that_are_asked_for(words: tuple[str, ...], written: list[str], here: Path) -> None:
    done = init(*words)

    assert done.exit_code == 0
    assert names(here) == set(written)
    assert done.output.startswith(f"Wrote {', '.join(written[:-1])} and {written[-1]} in {here}.\n")


def test_another_folder_is_made(here: Path) -> None:
    done = init("--dir", "a/b")

    assert done.exit_code == 0
    assert names(here / "a" / "b") == {*CLUSTER, *SCHEDULER}
    assert "\n  cd a/b\n" in done.output


def test_existing_files_are_never_overwritten_silently(here: Path) -> None:
    (here / "cluster.yaml").write_text("mine")
    (here / "retry-policy.yaml").write_text("mine too")

    refused = init()
    assert (refused.exit_code, names(here)) == (2, {"cluster.yaml", "retry-policy.yaml"})
    assert (
        f"cluster.yaml and retry-policy.yaml exist in {here} with other content; nothing was written" in refused.stderr
    )
    assert (here / "cluster.yaml").read_text() == "mine"

    assert init("--force").exit_code == 0
    assert {path.name: path.read_bytes() for path in here.iterdir()} == starter_files(Part)


def test_the_same_files_again_are_no_loss() -> None:
    assert (init().exit_code, init().exit_code) == (0, 0)


def test_it_says_what_to_run_next() -> None:
    program = Path(sys.executable).parent

    assert init().output.partition("\n\n")[2].replace(f"{program}/", "") == (
        "Check the files, also after you change them:\n"
        "  failctl lint --strict cluster.yaml error-categories.yaml scheduler.yaml retry-policy.yaml\n"
        "Start each process in a terminal of its own:\n"
        "  failure-agent cluster --settings cluster.yaml\n"
        "  failure-agent scheduler --settings scheduler.yaml\n"
        "When a pod has failed, ask why:\n"
        "  failctl get jobs --settings scheduler.yaml\n"
        "  failctl explain JOB --settings scheduler.yaml\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", [("lookout",), ("--dir", "file")])
def test_files_that_cannot_be_written_are_reported(words: tuple[str, ...], here: Path) -> None:
    (here / "file").write_text("")

    done = run([sys.executable, "-m", "agent", "init", *words])
    assert (done.returncode, "Traceback" in done.stderr, done.stderr.startswith("failure-agent: ")) == (2, False, True)
