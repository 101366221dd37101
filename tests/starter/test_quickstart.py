"""Every command of docs/quickstart.md but those that need a network, in order, in a clone with an empty home."""

from pathlib import Path
from typing import Final

import pytest

from tests.ground.tree import ROOT
from tests.starter.page import Step, read_page
from tests.starter.shell import Shell, clone, newcomer, until

PAGE: Final = read_page((ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8"))


def test_every_block_is_read() -> None:
    assert set(PAGE.files) == {"train-0.yaml", "our-rules.yaml", "training.yaml"}
    assert len(PAGE.steps) > 20


@pytest.mark.slow
def test_its_commands_print_what_it_shows(kubernetes_program: Path, tmp_path: Path) -> None:
    here = clone(tmp_path / "failure-agent")
    environ = newcomer(tmp_path / "home", kubernetes_program)
    with Shell(here, notes=tmp_path / "notes", environ=environ) as shell:
        for step in PAGE.steps:
            follow(step, shell)
            if step.command == "cd my-cluster":
                for name, text in PAGE.files.items():
                    (here / "my-cluster" / name).write_text(text)


def follow(step: Step, shell: Shell) -> None:
    """Give the command once, as somebody does who pastes the page; one in the background may still have to print."""
    ran = shell.run(step.command)
    until(lambda: step.shows(ran.output), lambda: f"$ {step.command}\n{ran.output}\nThe page says:\n{step.output}")
