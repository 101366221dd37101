"""The failing logs are complete: each has its log, the line that decides, and a label of the taxonomy."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evidence.failing import (
    FOLDER,
    LOGS,
    TAIL,
    FailingLog,
    Label,
    Recipe,
    developed,
    held_back,
    is_held_back,
    load,
    without_escapes,
)
from tests.evidence.failing.make import record
from tests.evidence.failing.neutral import Renamed, neutral
from tests.ground.findings import assert_no_findings

LEAST = 84
LEAST_TOOLS = 30
MOST_PER_TOOL = 3
MOST_BYTES = 1_500_000
ORIGINS = {"infra", "platform", "user", "unknown"}
LEAVES = (FOLDER / "leaves.txt").read_text(encoding="utf-8").split()


def undecided(failing: FailingLog) -> Iterator[str]:
    """The deciding lines that a log does not have."""
    lines = [without_escapes(line) for line in failing.text().split("\n")]
    if not failing.decides:
        yield f"{failing.name}: its recipe names no deciding line"
    for text in failing.decides:
        if not any(text in line for line in lines):
            yield f"{failing.name}: no line of its log has {text!r}"


def overlong(failing: FailingLog) -> Iterator[str]:
    if (size := failing.path.stat().st_size) > TAIL and not failing.recipe.whole:
        yield f"{failing.name}: its log has {size} bytes: keep the last {TAIL}, or say `whole` in its recipe"


def mislabelled(failing: FailingLog) -> Iterator[str]:
    """What is wrong with the label of a log."""
    label = failing.label
    for leaf in (label.leaf, *label.also):
        if leaf not in LEAVES:
            yield f"{failing.name}: {leaf} is not in leaves.txt"
    if label.leaf in label.also:
        yield f"{failing.name}: {label.leaf} is its leaf, and in `also`"
    if label.origin not in ORIGINS:
        yield f"{failing.name}: the origin {label.origin} is not one of {', '.join(sorted(ORIGINS))}"
    if not failing.why:
        yield f"{failing.name}: says not why it has this label"


def harmless(failing: FailingLog) -> Iterator[str]:
    """What keeps a recipe from a failure that others can make again."""
    if failing.recipe.exit_code not in range(1, 256):
        yield f"{failing.name}: its recipe ends with {failing.recipe.exit_code}, which is no failure"
    if not failing.recipe.needs:
        yield f"{failing.name}: its recipe says not what it needs"


def test_there_are_enough_from_enough_tools() -> None:
    tools = Counter(failing.tool for failing in load())

    assert tools.total() >= LEAST
    assert len(tools) >= LEAST_TOOLS
    assert [tool for tool, number in tools.items() if number > MOST_PER_TOOL] == []


def test_names_are_unique_and_each_log_has_a_recipe() -> None:
    names = [failing.name for failing in load()]

    assert sorted(names) == sorted(path.stem for path in LOGS.iterdir())


def test_what_is_held_back_follows_from_the_name() -> None:
    assert [failing.name for failing in load() if failing.is_held_back is not is_held_back(failing.name)] == []
    assert sorted((*developed(), *held_back()), key=lambda failing: failing.name) == sorted(
        load(), key=lambda failing: failing.name
    )
    assert len(held_back()) in range(len(load()) // 6, len(load()) // 3)


def test_logs_are_small_together() -> None:
    assert sum(failing.path.stat().st_size for failing in load()) <= MOST_BYTES


def test_every_log_holds_the_line_that_decides() -> None:
    assert_no_findings(undecided, load())


def test_every_log_is_a_tail_unless_its_length_is_the_point() -> None:
    assert_no_findings(overlong, load())


def test_every_label_is_one_of_the_taxonomy() -> None:
    assert_no_findings(mislabelled, load())


def test_every_recipe_ends_with_a_failure() -> None:
    assert_no_findings(harmless, load())


def test_what_is_wrong_with_a_log_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.evidence.failing.LOGS", tmp_path)
    (tmp_path / "a.log").write_bytes(b"\x1b[31mfailed\x1b[0m\n" + b"x" * TAIL)
    label = Label(leaf="app/none", origin="moon", retryable=None, also=("app/none",))
    recipe = Recipe(files={}, run="true", exit_code=0, hosts=(), needs=(), whole=False)
    failing = FailingLog(
        name="a", tool="a", recipe=recipe, decides=("failed", "gone"), why="", label=label, is_held_back=False
    )
    rules = (undecided, overlong, mislabelled, harmless)

    assert [finding for rule in rules for finding in rule(failing)] == [
        "a: no line of its log has 'gone'",
        f"a: its log has {TAIL + 16} bytes: keep the last {TAIL}, or say `whole` in its recipe",
        "a: app/none is not in leaves.txt",
        "a: app/none is not in leaves.txt",
        "a: app/none is its leaf, and in `also`",
        "a: the origin moon is not one of infra, platform, unknown, user",
        "a: says not why it has this label",
        "a: its recipe ends with 0, which is no failure",
        "a: its recipe says not what it needs",
    ]
    assert list(undecided(replace(failing, decides=()))) == ["a: its recipe names no deciding line"]


def test_a_deciding_line_is_found_behind_colours_and_prefixes() -> None:
    failing = next(failing for failing in load() if failing.name == "gcc-warnings-then-error")
    decides = [line for line in failing.text().split("\n") if failing.is_decided_by(line)]

    assert ["\x1b[" in line for line in decides] == [True]


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("-I/home/me/tools/venv/include", "-I/opt/venv/include"),
        ("/home/me/tools and /home/me/toolshed", "/opt/tools and /srv/home/toolshed"),
        ("host box-3 is not box-31", "host worker-7 is not box-31"),
        ("https://files.python" + "hosted.org/six", "https://registry.example/six"),
        ("GET https://registry.npm" + "js.org/ms", "GET https://registry.example/ms"),
        ("golang.org/x/net", "golang.org/x/net"),
    ],
)
def test_a_log_names_nothing_of_its_machine(printed: str, shown: str) -> None:
    renamed = [
        Renamed(here="/home/me", there="/srv/home"),
        Renamed(here="/home/me/tools", there="/opt/tools"),
        Renamed(here="/home/me/tools/venv", there="/opt/venv"),
        Renamed(here="box-3", there="worker-7"),
    ]

    assert neutral(printed, renamed) == shown


@pytest.mark.slow
def test_a_recipe_makes_the_log_that_is_committed(tmp_path: Path) -> None:
    failing = next(failing for failing in load() if failing.name == "make-no-rule")
    recorded = record(failing.recipe, tmp_path)

    assert recorded.exit_code == failing.recipe.exit_code
    assert recorded.log.decode() == failing.text()
