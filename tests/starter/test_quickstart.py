"""Every command of docs/quickstart.md but those that need a network, in order, in a clone with an empty home."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.ground.tree import ROOT
from tests.starter.page import Step, read_page
from tests.starter.shell import Shell, clone, newcomer, until

PAGE: Final = read_page((ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8"))
FOLDER: Final = "my-cluster"


def after(command: str) -> int:
    """The number of steps up to this one."""
    return [step.command for step in PAGE.steps].index(command) + 1


INSIDE: Final = after(f"cd {FOLDER}")
STARTED_OVER: Final = after("rm -f *.db* kubeconfig")


def test_every_block_is_read() -> None:
    assert set(PAGE.files) == {"train-0.yaml", "our-rules.yaml", "training.yaml", "job.yaml"}
    assert len(PAGE.steps) > 20


@pytest.mark.slow
@pytest.mark.timeout(240)  # the whole page, which a reader follows in ten minutes, beside all other tests
@pytest.mark.xdist_group("default-ports")
def test_its_commands_print_what_it_shows(kubernetes_program: Path, tmp_path: Path) -> None:
    here = clone(tmp_path / "failure-agent")

    play(PAGE.steps[:STARTED_OVER], here, newcomer(tmp_path / "home", kubernetes_program))

    # What comes then finds what it finds in a new folder, and a process beside this one can do it there.
    assert {path.suffix for path in (here / FOLDER).iterdir()} == {".yaml", ".log"}


@pytest.mark.slow
@pytest.mark.xdist_group("default-ports")
def test_its_commands_without_kubectl_print_what_it_shows(tmp_path: Path) -> None:
    here = clone(tmp_path / "failure-agent")

    play([*PAGE.steps[:INSIDE], *PAGE.steps[STARTED_OVER:]], here, newcomer(tmp_path / "home"))


def play(steps: Sequence[Step], here: Path, environ: Mapping[str, str]) -> None:
    with Shell(here, notes=here.with_name("notes"), environ=environ) as shell:
        for step in steps:
            follow(step, shell)
            if step.command == f"cd {FOLDER}":
                for name, text in PAGE.files.items():
                    (here / FOLDER / name).write_text(text)


def follow(step: Step, shell: Shell) -> None:
    """Give the command once, as somebody does who pastes the page; one in the background may still have to print."""
    ran = shell.run(step.command)
    until(lambda: step.shows(ran.output), lambda: f"$ {step.command}\n{ran.output}\nThe page says:\n{step.output}")
