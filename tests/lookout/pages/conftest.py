from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.lookout.pages.built import require_pages
from tests.lookout.pages.filled import filled
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.visit import PATIENCE, Visit
from tests.lookout.pages.watch import Watch

Opens = Callable[..., Visit]
"""Opens a window on the pages of a Lookout: ``open_visit(lookout, timezone_id="Asia/Kolkata")``."""

_FLAGS = ("--disable-gpu", "--disable-quic", "--force-color-profile=srgb")

_FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="package")
def browser(chromium: Path) -> Iterator[Browser]:
    """One browser for all tests here. Of the package: while Playwright runs, no other test can run a loop."""
    require_pages()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def shared_lookout(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLookout]:
    """A Lookout over a month of runs, for all tests; a test that stops it starts it again. None without a browser."""
    assert browser.is_connected()
    folder = tmp_path_factory.mktemp("month")
    filled(folder)
    served = ServedLookout(folder)
    served.start()
    yield served
    served.end()


@pytest.fixture
def lookout(shared_lookout: ServedLookout) -> ServedLookout:
    """The Lookout that all tests share."""
    return shared_lookout


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember that a test failed, for whom keeps what it saw."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture
def open_visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Opens]:
    """Windows that are closed with the test, none of which did what no page may do."""
    expect.set_options(timeout=PATIENCE)
    with ExitStack() as closing:
        visits: list[Visit] = []

        def opened(lookout: ServedLookout, **options: Any) -> Visit:
            settings = {"locale": "en-GB", "timezone_id": "UTC", "viewport": {"width": 1280, "height": 800}, **options}
            context = browser.new_context(**settings)
            closing.callback(context.close)
            context.set_default_timeout(PATIENCE)
            watch = Watch(lookout.url)
            watch.over(context)
            visits.append(Visit(context.new_page(), watch))
            return visits[-1]

        yield opened
        if request.node.stash.get(_FAILED, False):
            for number, visit in enumerate(visits):
                visit.keep(f"failed-{request.node.name}-{number}")
        for visit in visits:
            visit.watch.assert_none()


@pytest.fixture
def visit(lookout: ServedLookout, open_visit: Opens) -> Visit:
    """A window on the pages of the shared Lookout."""
    return open_visit(lookout)
