"""The examples of docs/categories.md, as somebody types them who writes a rule."""

import shlex
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from agent.ctl.main import app
from tests.ground.tree import ROOT
from tests.starter.page import read_page

PAGE: Final = read_page((ROOT / "docs" / "categories.md").read_text(encoding="utf-8"))


def test_examples_pass_and_fail_as_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("billing.yaml", "examples.jsonl"):
        (tmp_path / name).write_text(PAGE.files[name])
    monkeypatch.chdir(tmp_path)
    (step,) = PAGE.steps

    ran = CliRunner().invoke(app, shlex.split(step.command)[1:])

    assert ran.exit_code == 1
    assert step.shows(ran.stdout), ran.stdout


def test_the_third_passes_with_the_change_that_the_page_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = PAGE.files["billing.yaml"].replace("'ledger", "'(?i)ledger").replace("packs: [shipped]\n", "")
    (tmp_path / "billing.yaml").write_text(changed)
    (tmp_path / "examples.jsonl").write_text(PAGE.files["examples.jsonl"])
    monkeypatch.chdir(tmp_path)
    (step,) = PAGE.steps

    ran = CliRunner().invoke(app, shlex.split(step.command)[1:])

    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (0, "3 passed, 0 failed")
