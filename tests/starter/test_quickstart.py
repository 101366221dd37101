"""Every command of docs/quickstart.md but those that need a network, in order, in a clone with an empty home."""

from pathlib import Path
from typing import Final

import pytest

from tests.ground.tree import ROOT
from tests.starter.page import Step, read_page
from tests.starter.shell import Shell, clone, newcomer, until

PAGE: Final = read_page((ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8"))
LOOKS: Final = ("kubectl get ", "failctl ", "grep ")
"""Commands that only look, and may be given again until they show what the page says."""


def test_every_block_is_read() -> None:
    assert set(PAGE.files) == {"train-0.yaml", "my-rules.yaml"}
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
    ran = [shell.run(step.command)]

    def shown() -> bool:
        if step.shows(ran[0].output):
            return True
        if step.command.startswith(LOOKS):
            ran[0] = shell.run(step.command)
        return False

    until(shown, lambda: f"$ {step.command}\n{ran[0].output}\nThe page says:\n{step.output}")
