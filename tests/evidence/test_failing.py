"""The failing logs are complete: each has its log, the line that decides, and a label of the taxonomy."""

from collections import Counter
from pathlib import Path

import pytest

from tests.evidence.failing import (
    FOLDER,
    LOGS,
    TAIL,
    FailingLog,
    developed,
    held_back,
    is_held_back,
    load,
    without_escapes,
)
from tests.evidence.failing.make import record
from tests.evidence.failing.neutral import Renamed, neutral

LEAST = 84
LEAST_TOOLS = 30
MOST_PER_TOOL = 3
MOST_BYTES = 1_500_000
ORIGINS = {"infra", "platform", "user", "unknown"}
LEAVES = (FOLDER / "leaves.txt").read_text(encoding="utf-8").split()

each_failing_log = pytest.mark.parametrize("failing", load(), ids=lambda failing: failing.name)


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
    assert sorted((*developed(), *held_back()), key=lambda each: each.name) == sorted(
        load(), key=lambda each: each.name
    )
    assert len(held_back()) in range(len(load()) // 6, len(load()) // 3)


def test_logs_are_small_together() -> None:
    assert sum(failing.path.stat().st_size for failing in load()) <= MOST_BYTES


@each_failing_log
def test_a_log_holds_the_line_that_decides(failing: FailingLog) -> None:
    lines = failing.text().split("\n")

    missing = [text for text in failing.decides if not any(text in without_escapes(line) for line in lines)]
    assert missing == []
    assert len(failing.decides) > 0


@each_failing_log
def test_a_log_is_a_tail_unless_its_length_is_the_point(failing: FailingLog) -> None:
    assert failing.path.stat().st_size <= TAIL or failing.recipe.whole


@each_failing_log
def test_a_label_is_one_of_the_taxonomy(failing: FailingLog) -> None:
    assert [leaf for leaf in (failing.label.leaf, *failing.label.also) if leaf not in LEAVES] == []
    assert failing.label.leaf not in failing.label.also
    assert failing.label.origin in ORIGINS
    assert failing.why != ""


@each_failing_log
def test_a_recipe_ends_with_a_failure(failing: FailingLog) -> None:
    assert failing.recipe.exit_code in range(1, 256)
    assert failing.recipe.needs != ()


def test_a_deciding_line_is_found_behind_colours_and_prefixes() -> None:
    failing = next(each for each in load() if each.name == "gcc-warnings-then-error")
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
    failing = next(each for each in load() if each.name == "make-no-rule")
    recorded = record(failing.recipe, tmp_path)

    assert recorded.exit_code == failing.recipe.exit_code
    assert recorded.log.decode() == failing.text()
