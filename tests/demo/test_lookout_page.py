"""docs/lookout.md as somebody reads it who has just seen a demo: each command works as it stands."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.demo.ended import GROUP, Shown
from tests.ground.tree import ROOT
from tests.starter.shell import Shell, clone, newcomer, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),  # the demo waits until all jobs have ended
    pytest.mark.xdist_group(GROUP),
    pytest.mark.skipif(shutil.which("sqlite3") is None, reason="sqlite3 is not installed"),
]

PAGE: Final = (ROOT / "docs" / "lookout.md").read_text(encoding="utf-8")
COMMANDS: Final = re.findall(r"^ {4}(\S.*)$", PAGE, re.MULTILINE)
"""All that people copy, in order."""

SQL: Final = re.findall(r"`(sqlite3 [^`]+)`", PAGE)
SETTINGS: Final = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ANSWERS: Final = {
    "FROM rollup_hour": "sum(failures)",
    "FROM job_run": "OOMKilled",
    "FROM run_log": "loading shard 7 into memory",
    "FROM rollup_node_day": "node-0",
    "lookout status": "job-events",
}
"""What the answers to questions about a demo have in them, by a part of the question. An empty one has no headings."""


@pytest.fixture
def shell(wide: Shown, tmp_path: Path) -> Iterator[Shell]:
    """In a clone in which the demo has run, with a program for each name that the page has."""
    here = clone(tmp_path / "clone")
    shutil.copytree(wide.files, here / "demo-data")
    (settings,) = SETTINGS
    (here / "lookout.yaml").write_text(settings, encoding="utf-8")
    environ = newcomer(tmp_path / "home", ROOT / ".venv" / "bin", FAILURE_AGENT_API__PORT="0")
    with Shell(here, notes=tmp_path / "notes", environ=environ) as opened:
        yield opened


def test_each_command_does_what_the_page_says(shell: Shell) -> None:
    for command in [*COMMANDS, *SQL]:
        if command.startswith("failure-agent lookout"):
            serves(shell, command)
            continue
        ran = shell.run(command)
        assert ran.code == 0, f"$ {command}\n{ran.output}"
        assert all(part in ran.output for question, part in ANSWERS.items() if question in command), ran.output
    assert all(any(question in command for command in COMMANDS) for question in ANSWERS)


def serves(shell: Shell, command: str) -> None:
    """It runs until somebody stops it."""
    process = shell.run(f"{command} &")
    until(lambda: "health is served" in process.output, lambda: f"$ {command}\n{process.output}")
    assert shell.run("kill $!; wait $!").code == 0, process.output
