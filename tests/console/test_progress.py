import io

import pytest

from agent.console.guard import guard
from agent.console.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_things_are_counted_and_yielded() -> None:
    err = io.StringIO()

    assert list(Progress(err, noun="things").counting("abc")) == ["a", "b", "c"]
    assert err.getvalue() == ""


def test_a_terminal_shows_the_count_on_one_line_and_then_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", iter([0.0, 0.5, 2.0, 2.1]).__next__)
    err = Terminal()

    list(Progress(guard(err), noun="things").counting("abc"))

    assert err.getvalue() == "\r2 things, 1/s\r\x1b[2K"


def test_a_detail_follows_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", iter([0.0, 2.0]).__next__)
    err = Terminal()
    progress = Progress(err, noun="messages")

    progress.show(5_000, detail=", up to noon")
    progress.end()

    assert err.getvalue() == "\r5,000 messages, 2,500/s, up to noon\r\x1b[2K"
