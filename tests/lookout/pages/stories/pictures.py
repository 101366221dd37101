"""The pictures of the pages in the documentation: what they show, and ``python -m ... FOLDER``, which takes them over.

``test_pictures`` makes them.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.lookout.pages.looks import SCHEMES
from tests.lookout.pages.visit import SHOTS, Visit

MOST_BYTES: Final = 150_000
"""Of a picture; people load them with the page."""


@dataclass(frozen=True, slots=True)
class Picture:
    """How a visit comes to what is shown, and the height of the window then."""

    show: Callable[[Visit], None]
    height: int


WIDTH: Final = 1280


def _overview(visit: Visit) -> None:
    visit.go("/?since=7d&zone=UTC")


def _jobs(visit: Visit) -> None:
    visit.go("/jobs?state=any-failure&since=24h")


def _job(visit: Visit) -> None:
    visit.go("/jobs?exitCode=74&state=recovered")
    visit.rows.first.get_by_role("link").first.click()
    visit.panel.get_by_role("link", name="as a page").click()
    visit.settle()


PICTURES: Final[Mapping[str, Picture]] = {
    "overview": Picture(_overview, height=1040),
    "jobs": Picture(_jobs, height=800),
    "job": Picture(_job, height=920),
}


def kept(name: str, scheme: str) -> str:
    """The name under which a visit keeps a picture."""
    return f"docs-{name}-{scheme}"


def files() -> Iterator[tuple[str, Path]]:
    """The name of each picture in the documentation, and where it was kept."""
    for name in PICTURES:
        for scheme in SCHEMES:
            yield f"{name}-{scheme}.png", SHOTS / f"{kept(name, scheme)}.png"


if __name__ == "__main__":
    into = Path(sys.argv[1])
    into.mkdir(exist_ok=True)
    for name, made in files():
        (into / name).write_bytes(made.read_bytes())
