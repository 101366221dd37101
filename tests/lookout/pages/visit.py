"""A visit: a person with a window of a browser, who looks at the pages of a Lookout."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as TooLate

from tests.ground.tree import ROOT
from tests.lookout.pages.watch import Watch

SHOTS: Final = ROOT / "build" / "pages"
"""Where what was seen is kept; git ignores it."""

PATIENCE: Final = 60_000.0
"""Milliseconds: CI is a busy machine."""

_SETTLED: Final = """() => document.querySelector("h1") !== null
    && document.querySelector(".mantine-Skeleton-root, [aria-busy=true], [data-loading=true]") === null
    && document.fonts.status === "loaded"
    && document.getAnimations().every((animation) => animation.playState !== "running")
"""

_BEGINS_WITH: Final = """(ids) => {
    const shown = [...document.querySelectorAll("tr[data-job]")].map((row) => row.dataset.job);
    return ids.length > 0 ? ids.every((id, place) => id === shown[place]) : shown.length === 0;
}"""


class Visit:
    """A window on the pages at an address, and what it must not do meanwhile."""

    def __init__(self, page: Page, watch: Watch) -> None:
        self.page = page
        self.watch = watch

    def go(self, address: str) -> None:
        """Open an address of these pages, and wait until it shows what it has to show."""
        self.page.goto(self.watch.base + address)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is being loaded, and nothing moves."""
        self.page.wait_for_function(_SETTLED)

    def reload(self) -> None:
        self.page.reload()
        self.settle()

    def back(self) -> None:
        self.page.go_back()
        self.settle()

    @property
    def address(self) -> str:
        """Where it is, without the server."""
        return self.page.url.removeprefix(self.watch.base)

    @property
    def rows(self) -> Locator:
        """The rows of jobs that are drawn: those near the window."""
        return self.page.locator("tr[data-job]")

    def shows_jobs(self, job_ids: Sequence[str]) -> None:
        """Wait until the list begins with these jobs."""
        try:
            self.page.wait_for_function(_BEGINS_WITH, arg=list(job_ids))
        except TooLate:
            shown = [row.get_attribute("data-job") for row in self.rows.all()]
            assert shown[: len(job_ids)] == list(job_ids)
            raise

    @property
    def panel(self) -> Locator:
        """The job that is open beside the list."""
        return self.page.get_by_role("dialog")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def field(self, label: str) -> Locator:
        """What one types into."""
        return self.page.get_by_label(label, exact=True).and_(self.page.locator("input, textarea, select"))

    def shows(self, text: str) -> None:
        """Wait until a text is on the page."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    def keep(self, name: str) -> Path:
        """Keep what is seen now."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        file = SHOTS / f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}.png"
        self.page.screenshot(path=file)
        return file
