import os
from pathlib import Path

import pytest

from tests.servers import tool
from tests.servers.patience import until
from tests.servers.process import alive
from tests.servers.server import CannotPrepareError
from tests.servers.tool import find_tool, lines_of

pytestmark = pytest.mark.slow


def hear(script: str, folder: Path) -> list[str]:
    shell = [find_tool("sh", "no shell"), "-c", script]
    with lines_of(shell, name="it", folder=folder, environ=os.environ, explains=lambda line: "two" in line) as lines:
        return list(lines)


def test_every_line_of_both_outputs_is_heard(tmp_path: Path) -> None:
    assert hear("echo one; echo two >&2; cat", tmp_path) == ["one\n", "two\n"]


def test_one_that_fails_is_reported_with_the_lines_that_explain(tmp_path: Path) -> None:
    with pytest.raises(CannotPrepareError, match=r"^`it` ended with 3:\ntwo$"):
        hear("echo one; echo two; exit 3", tmp_path)


def test_one_that_falls_silent_is_reported_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "_MINUTES_OF_SILENCE", 0.02)
    with pytest.raises(CannotPrepareError, match=r"^`it` said nothing for 0\.02 minutes:\ntwo$"):
        hear("sleep 600 & echo $! >pid; echo two; wait", tmp_path)

    until(lambda: alive([int((tmp_path / "pid").read_text())]) == [], "dead")


def test_one_that_nobody_listens_to_any_more_is_ended(tmp_path: Path) -> None:
    def interrupted() -> None:
        shell = [find_tool("sh", "no shell"), "-c", "sleep 600 & echo $!; wait"]
        with lines_of(shell, name="it", folder=tmp_path, environ=os.environ, explains=bool) as lines:
            started.append(int(next(lines)))
            raise KeyboardInterrupt

    started: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()

    until(lambda: alive(started) == [], "dead")
