"""A window of a browser on Lookout's pages: how long after an input what was asked for is painted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

_FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
_SIZE: Final = ViewportSize(width=1280, height=800)
_PATIENCE_MS: Final = 30_000

_IDLE_MS: Final = 300.0
"""Until what is asked after the first rows, as their number, is answered."""

_SHOWN: Final = "document.querySelector('tr[data-job], .groups > li') !== null"

_FIRST: Final = f"""() => new Promise((done) => {{
  const look = () => {_SHOWN}
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : requestAnimationFrame(look);
  look();
  setTimeout(() => done(null), {_PATIENCE_MS});
}})"""
"""Milliseconds from the beginning of the navigation until the frame with the first rows is painted."""

_WATCH: Final = """() => {
  let at = null, busy = false;
  const note = (event) => { at = event.timeStamp; busy = false; };
  for (const name of ["click", "keydown"]) addEventListener(name, note, true);
  const rows = () => document.querySelector(".rows")?.getAttribute("aria-busy");
  const api = (from, until) => performance.getEntriesByType("resource")
    .filter((entry) => new URL(entry.name).pathname.startsWith("/api/v1/") && entry.startTime >= from)
    .filter((entry) => entry.responseEnd > 0 && entry.responseEnd <= until)
    .map((entry) => entry.serverTiming.reduce((sum, part) => sum + part.duration, 0));
  window.painted = new Promise((done) => {
    const paint = () => requestAnimationFrame(() => setTimeout(() => {
      const now = performance.now();
      done({ whole: now - at, api: Math.max(0, ...api(at, now)) });
    }));
    const watcher = new MutationObserver(() => {
      if (at === null || rows() == null) return;
      if (rows() === "true") { busy = true; return; }
      if (!busy) return;
      watcher.disconnect();
      paint();
    });
    setTimeout(() => done(null), PATIENCE);
    watcher.observe(document.body, { subtree: true, childList: true, attributeFilter: ["aria-busy"] });
  });
}""".replace("PATIENCE", str(_PATIENCE_MS))
"""Watches for the last input, for the old rows to be marked as old, and for the new ones in their place."""


@dataclass(frozen=True, slots=True)
class Painted:
    """Milliseconds from the last input to painted rows, and of these the slowest answer that they waited for."""

    whole: float
    api: float


class Window:
    """Opens addresses in one browser, each in a window without a cache."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser: Final = browser
        self._url: Final = url

    def first_rows(self, address: str) -> float:
        """Milliseconds from the navigation to the first painted rows, in a browser that was never here.

        Raises TimeoutError if none come; ``painted`` also.
        """
        with self._opened(address) as page:
            return self._first(page)

    def painted(self, address: str, act: Callable[[Page], Any]) -> Painted:
        """What an input takes, after the page at an address has its rows and is idle."""
        with self._opened(address) as page:
            self._first(page)
            page.wait_for_timeout(_IDLE_MS)
            page.evaluate(_WATCH)
            act(page)
            found = page.evaluate("() => window.painted")
            if found is None:
                raise TimeoutError(f"no rows came after the input at {page.url}")
            return Painted(**found)

    def _first(self, page: Page) -> float:
        found = page.evaluate(_FIRST)
        if found is None:
            raise TimeoutError(f"there are no rows at {page.url}")
        return float(found)

    @contextmanager
    def _opened(self, address: str) -> Iterator[Page]:
        context = self._browser.new_context(viewport=_SIZE)
        context.set_default_timeout(_PATIENCE_MS)
        try:
            page = context.new_page()
            page.goto(self._url + address, wait_until="commit")
            yield page
        finally:
            context.close()


@contextmanager
def windows(program: Path, url: str) -> Iterator[Window]:
    """Windows of a browser on the server at an address."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        try:
            yield Window(browser, url)
        finally:
            browser.close()
