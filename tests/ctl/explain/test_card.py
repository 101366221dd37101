"""The card, story by story, against committed screens. ``REWRITE_GOLDEN=1`` writes them anew, to be looked at."""

import os
import unicodedata
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.console.terminal import Palette, cells_of, visible
from agent.core.failure import Failure
from agent.ctl.explain.attempts import Clock
from agent.ctl.explain.card import LINES, Screen, card
from agent.ctl.explain.outcome import State, outcome
from agent.store.recorded import Timeline
from tests.core import strategies
from tests.core.classify.tables import Row
from tests.ctl.explain.stories import NOW, STORIES, timeline_of

GOLDEN = Path(__file__).parent / "golden"
CLOCK = Clock(now=NOW, zone=ZoneInfo("Europe/Berlin"))
NAMES = [story["name"] for story in STORIES]
BY_NAME = {story["name"]: story for story in STORIES}


def shown(story: Row, columns: int, *, colour: bool = False) -> list[str]:
    return list(card(timeline_of(story), clock=CLOCK, screen=Screen(columns=columns, palette=Palette(on=colour))))


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_the_card_is_the_one_that_was_looked_at(story: Row, columns: int) -> None:
    lines = shown(story, columns)
    golden = GOLDEN / f"{story['name']}-{columns}.txt"
    if os.environ.get("REWRITE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    assert lines == golden.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_no_line_is_wider_than_the_terminal_and_the_id_is_whole(story: Row, columns: int) -> None:
    lines = shown(story, columns)

    assert max(map(cells_of, lines)) <= columns
    assert visible(timeline_of(story).job_id).replace(" ", "") in "".join("".join(lines).split())
    assert not [char for line in lines for char in line if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}]


@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_a_card_fits_the_smallest_terminal(story: Row) -> None:
    assert len(shown(story, 80)) <= LINES


@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_colours_add_nothing_but_colours(story: Row) -> None:
    coloured = "\n".join(shown(story, 80, colour=True))
    plain = "\n".join(shown(story, 80))

    assert "\x1b[" in coloured
    assert "\x1b[" not in plain


def test_whose_container_failed_is_said_in_words_and_never_as_a_template() -> None:
    text = "\n".join(shown(BY_NAME["two-failed-containers"], 80))

    assert "main is one of the containers you submitted" in text
    assert "{annotation:" not in text
    assert "culprit" not in text


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("out-of-memory", State.FAILED),
        ("evicted", State.FAILED),
        ("lost-node", State.RUNNING),
        ("halted", State.HALTED),
        ("no-verdict", State.FAILED),
        ("restarted-in-place", State.RUNNING),
        ("succeeded", State.SUCCEEDED),
    ],
)
def test_how_a_job_stands(name: str, state: State) -> None:
    assert outcome(timeline_of(BY_NAME[name])).state is state


def drawn(failure: Failure, story: Row) -> Timeline:
    """A story whose newest failure is another."""
    timeline = timeline_of(story)
    *earlier, newest = timeline.runs
    (first, *others) = newest.failures
    run = replace(newest, failures=(replace(first, failure=failure), *others))
    return replace(timeline, runs=(*earlier, run))


@given(failure=strategies.failures(), story=st.sampled_from(["out-of-memory", "waiting", "no-verdict", "amended"]))
@settings(max_examples=40)
def test_whatever_failed_the_card_fits(failure: Failure, story: str) -> None:
    timeline = drawn(failure, BY_NAME[story])
    lines = list(card(timeline, clock=CLOCK, screen=Screen(columns=80, palette=Palette())))

    assert len(lines) <= LINES
    assert max(map(cells_of, lines)) <= 80
    assert not [char for line in lines for char in line if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}]
