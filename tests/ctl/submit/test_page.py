"""Every command and every document of docs/submitting.md, run in order against one API."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import structlog.testing
from typer.testing import CliRunner

from agent.ctl.main import app
from agent.ctl.server import VARIABLE
from agent.manifests.lint import lint
from agent.store.store import Store
from tests.ground.tree import ROOT
from tests.scheduler.service.site import served, site
from tests.starter.page import read_page
from tests.store.databases import new_store

PAGE: Final = read_page((ROOT / "docs" / "submitting.md").read_text(encoding="utf-8"))
JOB: Final = "01kb3v9q8mf4e7t2n5x6c0hd1a"


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    for name, text in PAGE.files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    with (
        Store.open(new_store(tmp_path)) as store,
        served(site(store, job_ids=[JOB])) as address,
        structlog.testing.capture_logs(),  # the server, which runs in this process, would log into the output
    ):
        yield {VARIABLE: address, "COLUMNS": "100"}


@pytest.mark.parametrize("name", PAGE.files)
def test_a_file_has_no_problem(name: str) -> None:
    assert lint(PAGE.files[name], file=name) == ()


@pytest.mark.slow
def test_its_commands_print_what_it_shows(environ: dict[str, str]) -> None:
    assert len(PAGE.steps) > 7
    for step in PAGE.steps:
        program, *words = shlex.split(step.command)
        assert program == "failctl"
        ran = CliRunner().invoke(app, words, env=environ)
        assert step.shows(ran.output), f"$ {step.command}\n{ran.output}\nThe page says:\n{step.output}"
