"""Every command and every YAML block of docs/resources.md, run in order against one API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import structlog.testing
from typer.testing import CliRunner

from agent.ctl.main import app
from agent.ctl.server import VARIABLE
from agent.manifests.lint import lint
from agent.manifests.resource.kind import Kind
from agent.store.store import Store
from tests.ground.tree import ROOT
from tests.scheduler.service.site import served, site
from tests.starter.page import read_page
from tests.store.databases import new_store

TEXT: Final = (ROOT / "docs" / "resources.md").read_text(encoding="utf-8")
PAGE: Final = read_page(TEXT)


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    for name, text in PAGE.files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    with (
        Store.open(new_store(tmp_path)) as store,
        served(site(store)) as address,
        structlog.testing.capture_logs(),  # the server, which runs in this process, would log into the output
    ):
        yield {VARIABLE: address, "FAILCTL_CONFIG": f"{tmp_path}/config.yaml"}


@pytest.mark.parametrize("name", PAGE.files)
def test_a_file_has_no_problem(name: str) -> None:
    assert lint(PAGE.files[name], file=name) == ()


def test_it_lists_the_names_of_every_kind() -> None:
    rows = {row.split("|")[1].strip() for row in TEXT.splitlines() if row.startswith("| `")}

    assert {f"`{kind.names[-1]}`" for kind in Kind} <= rows
    assert [name for kind in Kind for name in kind.names if f"`{name}`" not in TEXT] == []


@pytest.mark.slow
def test_its_commands_print_what_it_shows(environ: dict[str, str]) -> None:
    assert len(PAGE.steps) > 10
    for step in PAGE.steps:
        program, *words = step.command.split()
        assert program == "failctl"
        ran = CliRunner().invoke(app, words, env=environ)
        assert step.shows(ran.output), f"$ {step.command}\n{ran.output}\nThe page says:\n{step.output}"
