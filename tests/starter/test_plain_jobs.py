"""The commands of docs/plain-jobs.md that need no cluster print what the page shows; the others are ten."""

from pathlib import Path
from typing import Final

import pytest

from tests.ground.tree import ROOT
from tests.starter.page import read_page
from tests.starter.shell import Shell, newcomer

PAGE: Final = read_page((ROOT / "docs" / "plain-jobs.md").read_text(encoding="utf-8"))
IN_CLUSTER: Final = [step.command for step in PAGE.steps].index("kubectl create namespace failure-agent")


def test_the_way_in_a_cluster_takes_ten_lines() -> None:
    assert set(PAGE.files) == {"job.yaml", "pods.yaml"}
    assert len(PAGE.steps[IN_CLUSTER:]) == 10


@pytest.mark.slow
def test_the_commands_without_a_cluster_print_what_the_page_shows(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    folder.mkdir()
    for name, text in PAGE.files.items():
        (folder / name).write_text(text)
    environ = newcomer(tmp_path / "home", ROOT / ".venv" / "bin")
    with Shell(folder, notes=tmp_path / "notes", environ=environ) as shell:
        for step in PAGE.steps[:IN_CLUSTER]:
            ran = shell.run(step.command)
            assert (ran.code, step.shows(ran.output)) == (0, True), f"$ {step.command}\n{ran.output}"
