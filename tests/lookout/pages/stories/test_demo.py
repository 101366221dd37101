"""``make demo`` as somebody sees it for the first time: in a terminal, and live in a browser."""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.stories.telling import Story
from tests.lookout.pages.stories.terminal import COLUMNS, Terminal

pytestmark = BROWSER

DEMO = (sys.executable, "-m", "agent", "demo", "--for", "8s")


@dataclass(frozen=True, slots=True)
class Address:
    """Where the pages are, of a Lookout that forwards to a scheduler."""

    url: str


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """The demo in a terminal of somebody who is not CI."""
    environ = {**{name: value for name, value in os.environ.items() if name != "CI"}, "TERM": "xterm"}
    with Terminal(DEMO, cwd=tmp_path, environ=environ) as opened:
        yield opened


def test_the_demo_appears_live_and_stays_to_be_looked_at(terminal: Terminal, open_visit: Opens) -> None:
    address = Address(terminal.shows(r"Watch it in a browser, live:\n +(http://[\w.:]+)\n")[1])
    assert max(map(len, terminal.shown.splitlines())) <= COLUMNS

    story = Story(open_visit(address), "watch-the-demo")
    page, visit = story.page, story.visit
    with story.step("Open the address that the demo prints: failures appear by themselves"):
        visit.go("/jobs?state=any-failure&sort=-firstAt")
        expect(visit.rows.nth(9)).to_be_visible()
    with story.step("Jobs recover while one looks"):
        expect(visit.rows.filter(has_text="recovered").first).to_be_visible()
    with story.step("When all jobs have ended, everything still runs"):
        terminal.shows(r"Everything still runs\.")
        terminal.shows(r"Press Enter to end the demo\.")
        visit.go("/jobs?state=running&state=waiting")
        expect(visit.rows).to_have_count(0)
    with story.step("Retry a job that has failed, and see its next attempt"):
        visit.go("/jobs?state=still-failed&category=oom")
        visit.rows.first.get_by_role("link").first.click()
        attempts = visit.panel.get_by_role("heading", level=3, name=re.compile("^Attempt"))
        visit.button("Retry").click()
        before = attempts.count()
        visit.panel.get_by_label("Your name").fill("ada")
        visit.button("Retry now").click()
        expect(attempts).not_to_have_count(before)

    page.goto("about:blank")
    terminal.press_enter()
    assert terminal.child.wait() == 0
    terminal.shows("Every process has exited")
