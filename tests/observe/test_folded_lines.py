import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.evidence import LogTail
from agent.observe.folded_lines import unfolded

KLOG = r'E0202 main.go:169] exit status 128: "Cloning into \'/git\'...\nfatal: Could not read from x.\n"'
JSON = r'{"level":"error","msg":"exit 1\nTraceback:\n\tat \"a\"\\b"}'
WINDOWS = r"opened C:\new\table"


def text(written: str) -> str:
    return unfolded(LogTail(container="main", text=written)).text


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (KLOG, ["fatal: Could not read from x."]),
        (JSON, ["Traceback:", '\tat "a"\\b"}']),
        (f"before\n{KLOG}\nafter", ["before", "fatal: Could not read from x.", "after"]),
    ],
)
def test_quoted_lines_become_lines(written: str, lines: list[str]) -> None:
    assert set(lines) <= set(text(written).split("\n"))


@pytest.mark.parametrize("written", [WINDOWS, 'print("a")', r"grep -c \n file", ""])
def test_an_escape_that_is_not_quoted_stays(written: str) -> None:
    assert text(written) == written


@given(st.text(alphabet='ab"\\nrt\n'))
def test_no_line_is_lost_and_what_has_no_folded_line_stays(written: str) -> None:
    found = text(written)

    assert found.count("\n") >= written.count("\n")
    if "\\n" not in written:
        assert found == written


def test_the_container_and_the_restart_stay() -> None:
    tail = LogTail(container="main", text=JSON, previous=True)

    assert (unfolded(tail).container, unfolded(tail).previous) == ("main", True)
