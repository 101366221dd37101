"""What counts as one line, and which lines are kept."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.evaluate.successful import Log
from tests.evidence.successful.mask import distinct, masked
from tests.evidence.successful.selection import SHARE, even_limit, select, shortened, tool_limit
from tests.tables import table

ROWS = table(Path(__file__).with_name("masks.yaml"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["masked"])
def test_a_line_is_masked(row: dict[str, str]) -> None:
    assert masked(row["line"]) == row["masked"]


def test_a_line_counts_once_whatever_its_numbers() -> None:
    known: set[str] = set()

    assert list(distinct(["wrote 1 row", "", "wrote 22 rows", "wrote 3 row", "read 1 row"], known)) == [
        "wrote 1 row",
        "wrote 22 rows",
        "read 1 row",
    ]
    assert list(distinct(["wrote 4 rows"], known)) == []


def words(tool: str, count: int) -> Log:
    alphabet = "ghijklmnopqrstuvwxyz"
    return Log(
        tool=tool,
        name="all",
        lines=tuple(f"{tool} {alphabet[n // 400]}{alphabet[n // 20 % 20]}{alphabet[n % 20]}" for n in range(count)),
    )


def test_no_tool_has_more_than_its_share() -> None:
    tools = [*(words(f"tool-{letter}", 100) for letter in "ghijklmnopq"), words("loud", 1000)]

    sizes = {log.tool: len(log.lines) for log in select(tools, most=5000)}

    assert max(sizes.values()) <= sum(sizes.values()) // SHARE
    assert sizes["loud"] >= 100


def test_lines_of_two_tools_count_once() -> None:
    logs = select([Log(tool="a", name="all", lines=("x", "y")), Log(tool="b", name="all", lines=("y",))], most=9)

    assert [log.tool for log in logs if "y" in log.lines] in ([], ["a"])


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 500), max_size=30))
def test_the_limit_of_a_tool_gives_it_its_share_at_most(counts: dict[str, int]) -> None:
    limit = tool_limit(counts)
    kept = [min(count, limit) for count in counts.values()]

    assert max(kept, default=0) <= sum(kept) // SHARE


@given(st.lists(st.integers(0, 300), max_size=20), st.integers(0, 1000))
def test_an_even_limit_uses_what_there_is(sizes: list[int], total: int) -> None:
    limit = even_limit(sizes, total)
    kept = sum(min(size, limit) for size in sizes)

    assert kept <= total
    assert kept == sum(sizes) or total - kept < len(sizes)


def test_the_ends_of_long_logs_are_kept() -> None:
    long, short = words("long", 10), words("short", 2)

    assert shortened([long, short], 6) == [Log(tool="long", name="all", lines=long.lines[-4:]), short]
