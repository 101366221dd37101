"""Chaos on an event log and a SQLite file: one process, killed again and again, whose database goes and comes back."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.lookout.chaos.course import Course, drawn_seed
from tests.lookout.chaos.lookouts import Lookouts
from tests.lookout.chaos.story import told
from tests.scheduler.path import Place

pytestmark = pytest.mark.slow


@contextmanager
def moved(file: Path) -> Iterator[None]:
    """The database is not where it was."""
    elsewhere = file.with_name("moved.db")
    file.rename(elsewhere)
    yield
    elsewhere.rename(file)


@pytest.mark.parametrize(
    ("jobs", "strikes"),
    [
        (40, 4),
        pytest.param(600, 40, marks=[pytest.mark.long, pytest.mark.timeout(600)]),  # 40 strikes, seconds each
    ],
)
def test_it_stores_what_one_stores_to_which_nothing_happens(tmp_path: Path, jobs: int, strikes: int) -> None:
    draw = Random(drawn_seed())  # noqa: S311 - it must repeat
    place = Place.in_files(tmp_path)
    file = Path(place.store_url.removeprefix("sqlite:///"))
    with closing(place.open_log()) as broker, Lookouts(place, tmp_path, draw) as lookouts:
        blows = {
            "killed": lookouts.killed,
            "killed, and away for a while": lookouts.all_killed,
            "restarted": lookouts.restarted,
            "database gone": lambda: moved(file),
        }
        lookouts.wait_until_ready()
        course = Course(draw=draw, broker=broker, url=place.store_url, folder=tmp_path, blows=blows)
        story = told(draw, jobs=jobs)
        course.play(story, strikes=strikes)
        lookouts.wait_until_ready()
        course.assert_as_if_nothing_had_failed(story)
        lookouts.end()
