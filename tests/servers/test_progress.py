import io
from collections.abc import Iterator

import pytest

from tests.servers.progress import Progress, elapsed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(out: io.StringIO, *seconds: float) -> str:
    clock: Iterator[float] = iter((0.0, *seconds))
    progress = Progress(out, clock=lambda: next(clock))
    for number, _ in enumerate(seconds, start=1):
        progress.at(f"{number} done")
    progress.say("all done")
    return out.getvalue()


def test_a_log_gets_a_line_now_and_then() -> None:
    assert told(io.StringIO(), 1, 2, 30, 31, 65) == "  0:01  1 done\n  0:31  4 done\n  1:05  5 done\nall done\n"


def test_a_terminal_gets_one_line_that_changes() -> None:
    line = "\r\x1b[2K  0:0{}  {} done".format

    assert told(Terminal(), 1, 1.1, 2) == line(1, 1) + line(2, 3) + "\nall done\n"


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3723, "62:03")])
def test_time_is_told_in_minutes(seconds: float, text: str) -> None:
    assert elapsed(seconds) == text
