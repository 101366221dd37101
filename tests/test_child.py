"""Whatever a process does that a test started, the test goes on, and the process ends with it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.child import PIPE, STDOUT, Child, catch_ignored_signals, output_of, run
from tests.servers.patience import until
from tests.servers.process import alive

pytestmark = pytest.mark.slow

IGNORED = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
SLEEP = ["sleep", "600"]


@pytest.fixture
def ignoring() -> Iterator[None]:
    """This process as a script's background job under ``nohup``."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in IGNORED}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("ignoring")
@pytest.mark.parametrize("number", IGNORED)
def test_a_signal_that_this_process_ignores_ends_it(number: signal.Signals) -> None:
    with Child(SLEEP) as child:
        child.send(number)

        assert child.wait() == -number


@pytest.mark.usefixtures("ignoring")
def test_this_process_goes_on_ignoring_the_signal() -> None:
    catch_ignored_signals()

    os.kill(os.getpid(), signal.SIGHUP)


def test_what_it_started_ends_with_it(start: Callable[..., Child]) -> None:
    child = start(["sh", "-c", "sleep 600 & echo $!; trap '' TERM HUP INT; wait"], stdout=PIPE)
    grandchild = int(child.line())
    child.kill()
    assert alive([grandchild]) == [grandchild]

    child.end()

    until(lambda: alive([grandchild]) == [], "dead")


def test_it_ends_with_a_test_that_fails() -> None:
    with pytest.raises(RuntimeError, match="the test"), Child(SLEEP) as child:
        raise RuntimeError("the test")

    assert child.returned() == -signal.SIGKILL


def test_a_wait_is_bounded() -> None:
    with Child(SLEEP) as child, pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.05)


def test_a_read_is_bounded() -> None:
    with Child(["sh", "-c", "printf half; exec sleep 600"], stdout=PIPE) as child:
        with pytest.raises(subprocess.TimeoutExpired) as expired:
            child.line(0.5)
        with pytest.raises(subprocess.TimeoutExpired):
            child.rest(0.05)

    assert expired.value.output == b"half"


def test_a_run_is_bounded_though_a_grandchild_keeps_its_output_open() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sh", "-c", "sleep 600 & exit 0"], seconds=0.5)


def test_it_is_read_line_by_line_and_then_whole() -> None:
    with Child(["sh", "-c", "printf 'one\\ntwo\\nthree\\nfour'; echo five >&2"], stdout=PIPE, stderr=PIPE) as child:
        assert [child.line(), child.line()] == ["one\n", "two\n"]
        assert child.rest() == ("three\nfour", "five\n")
        assert child.wait() == 0


def test_a_line_is_empty_where_nothing_more_comes() -> None:
    with Child(["true"], stdout=PIPE) as child:
        assert child.line() == ""


def test_its_lines_are_all_that_it_prints() -> None:
    with Child(["sh", "-c", "echo one; echo; echo two >&2; printf three"], stdout=PIPE, stderr=STDOUT) as child:
        assert list(child.lines()) == ["one\n", "\n", "two\n", "three"]


def test_the_output_of_a_command_is_what_it_prints() -> None:
    assert output_of(["sh", "-c", "cat; echo two >&2"], given="one") == "one"


def test_a_command_that_fails_has_no_output_but_says_why() -> None:
    with pytest.raises(AssertionError, match=r"(?s)'sh'.* exited with 3:\none\ntwo\n"):
        output_of(["sh", "-c", "echo one; echo two >&2; exit 3"])


def test_it_answers_what_is_written() -> None:
    with Child(["cat"], stdin=PIPE, stdout=PIPE) as child:
        child.write("é\n")
        assert child.line() == "é\n"
        assert child.rest(given="more") == ("more", "")


def test_its_standard_input_is_empty() -> None:
    assert run(["cat"]).stdout == ""
    assert run(["cat"], given="a").stdout == "a"


def test_a_reader_may_leave() -> None:
    with Child(["yes"], stdout=PIPE) as child:
        child.stop_reading()

        assert child.wait() == -signal.SIGPIPE


def test_it_may_be_started_in_a_thread() -> None:
    ended: list[int] = []
    thread = threading.Thread(target=lambda: ended.append(run(["true"]).returncode))
    thread.start()
    thread.join(60)

    assert ended == [0]


def test_it_runs_where_and_with_what_it_is_given(tmp_path: Path) -> None:
    shown = run([sys.executable, "-c", "import os; print(os.getcwd(), os.environ['A'])"], cwd=tmp_path, env={"A": "b"})

    assert shown.stdout == f"{tmp_path} b\n"
