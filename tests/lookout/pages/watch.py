"""What no page may do, whatever it is asked: each is noted, and the test in which it happens fails."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, WebError

_OURS: Final = ("data:", "blob:", "about:")
"""Addresses that name no server."""

_WRONG: Final = frozenset({"error", "warning", "assert"})


@dataclass
class Watch:
    """Watches a context of a browser: requests to any other server, errors, and what the policy forbids.

    A browser says on its console what the content security policy forbids. No slots: Playwright marks who listens.
    """

    base: str
    faults: list[str] = field(default_factory=list)
    expected: list[re.Pattern[str]] = field(default_factory=list)
    """Faults that are none here."""

    def over(self, context: BrowserContext) -> None:
        """Begin."""
        context.on("request", self._requested)
        context.on("console", self._said)
        context.on("weberror", self._failed)

    @contextmanager
    def expecting(self, fault: str) -> Iterator[None]:
        """Faults that match the expression are those that the test causes."""
        pattern = re.compile(fault)
        self.expected.append(pattern)
        try:
            yield
        finally:
            self.expected.remove(pattern)

    def expect(self, fault: str) -> None:
        """From now on, faults that match the expression are no faults: what is not there is asked for again."""
        self.expected.append(re.compile(fault))

    def assert_none(self) -> None:
        """Fail if there was one."""
        assert self.faults == []

    def _note(self, fault: str) -> None:
        if not any(pattern.search(fault) for pattern in self.expected):
            self.faults.append(fault)

    def _requested(self, request: Request) -> None:
        if not request.url.startswith((f"{self.base}/", *_OURS)):
            self._note(f"asked {request.url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in _WRONG:
            self._note(f"console: {message.text} ({message.location['url']})")

    def _failed(self, error: WebError) -> None:
        self._note(f"threw: {error.error}")
