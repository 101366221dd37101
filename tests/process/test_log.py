"""What a process logs on a terminal has its own colours, and no control character from anywhere else."""

import io
import logging
import re
from collections.abc import Iterator
from contextvars import copy_context

import pytest
import structlog

from agent.console.guard import guard
from agent.console.terminal import ColourChoice, choose_colour
from agent.process.log import log_by
from agent.settings.base import LogFormat, LogSettings

COLOUR = re.compile(r"\x1b\[[0-9]+m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _root_restored() -> Iterator[None]:
    root = logging.getLogger()
    before, level, configured = list(root.handlers), root.level, structlog.get_config()
    yield
    root.handlers[:] = before
    root.setLevel(level)
    structlog.configure(**configured)


def logged(err: io.StringIO, monkeypatch: pytest.MonkeyPatch, choice: ColourChoice) -> str:
    """What is written behind the guard when a hostile text is logged."""

    def log() -> None:
        choose_colour(choice)
        monkeypatch.setattr("sys.stderr", guard(err))
        log_by(LogSettings(format=LogFormat.CONSOLE))
        for level in ("info", "warning", "error"):
            getattr(structlog.get_logger("test"), level)("said\x1b[31m", pod="x\x1b[32m\x9b2J", rows=3)

    copy_context().run(log)
    return err.getvalue()


@pytest.mark.parametrize(
    ("err", "no_colour", "choice", "coloured"),
    [
        (Terminal(), "", "auto", True),
        (Terminal(), "1", "auto", False),
        (Terminal(), "", "never", False),
        (io.StringIO(), "", "auto", False),
        (io.StringIO(), "", "always", True),
    ],
)
def test_a_log_is_coloured_as_all_output_is(
    err: io.StringIO, no_colour: str, choice: ColourChoice, *, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setenv("TERM", "xterm")

    text = logged(err, monkeypatch, choice)

    assert bool(COLOUR.search(text)) is coloured
    assert not [char for char in COLOUR.sub("", text) if not char.isprintable() and char != "\n"]
    assert "\\u001b" not in text
    assert text.count(r"said\x1b[31m") == text.count(r"x\x1b[32m\x9b2J") == 3
