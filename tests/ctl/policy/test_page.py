"""Every command and every YAML block of docs/retry-policies.md, run in order in one folder."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.ctl.main import app
from agent.documents.problem import Severity
from agent.manifests.lint import lint
from agent.manifests.retry.scenario import load_scenarios
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT

PAGE = (ROOT / "docs" / "retry-policies.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```", re.DOTALL)
BLOCKS = [(found["file"], found["kind"], found["text"]) for found in BLOCK.finditer(PAGE)]
FILES = {file: text for file, kind, text in BLOCKS if file}
COMMANDS = [
    (command, told)
    for _, kind, text in BLOCKS
    if kind == "console"
    for command, told in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_block_is_a_file_or_commands() -> None:
    assert {kind for _, kind, _ in BLOCKS} == {"yaml", "console"}
    assert all((kind == "yaml") == bool(file) for file, kind, _ in BLOCKS)
    assert sum(text.count("\n$ ") + text.startswith("$ ") for _, kind, text in BLOCKS if kind == "console") == len(
        COMMANDS
    )


def faults(file: str) -> Iterator[str]:
    """What is wrong with a block: scenarios have to load, other documents but pods have to be without errors."""
    text = FILES[file]
    if "failures:" in text:
        if not load_scenarios(text, file=file):
            yield f"{file}: has no scenario"
        return
    if "kind: Pod\n" in text:
        return
    for problem in lint(text, file=file):
        if problem.severity is Severity.ERROR:
            yield f"{file}:{problem.line}: {problem.message}"


def test_every_block_is_a_document_without_errors() -> None:
    assert_no_findings(faults, FILES)


def test_an_error_in_a_block_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILES, "bad.yaml", "errorCategories:\n- name: a\n")

    assert list(faults("bad.yaml")) == ["bad.yaml:2: a category needs at least one rule"]


@pytest.mark.parametrize(("command", "told"), COMMANDS, ids=[command for command, _ in COMMANDS])
@pytest.mark.usefixtures("folder")
def test_a_command_prints_what_the_page_says(command: str, told: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "failctl"
    done = CliRunner().invoke(app, arguments)
    assert re.fullmatch(_shown(told), done.output), done.output


def _shown(told: str) -> str:
    """A pattern of what the page shows: a line of three dots stands for any lines."""
    return "".join("(?:.*\n)*" if line == "...\n" else re.escape(line) for line in told.splitlines(keepends=True))
