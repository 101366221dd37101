"""Which versions there are of what is shown, and the clients that wait for the next.

Whatever changes within an interval is one new version: a tick. Clients learn of versions only, and ask again for what
they show. A tick also ends the validity of answers that were kept (``shared``), so that a client that asks because of
a version sees what made it.
"""

import asyncio
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from agent.lookout.api.problems import RETRY_SECONDS, Problem
from agent.lookout.changes import Changes, Jobs
from agent.telemetry import lookout_metrics as metrics

ALL: Final = "all"
"""The scope of everything."""
JOB: Final = "job/"
"""How the scope of a job begins; its id follows."""

INTERVAL_SECONDS: Final = 1.0
MOST_CLIENTS: Final = 2_000

_MOST_JOBS: Final = 10_000
"""Jobs that are distinguished in one tick; more are any."""


class LiveClient:
    """One that waits. Only the loop of the server uses it."""

    def __init__(self, scopes: Iterable[str]) -> None:
        self.scopes: Final = tuple(dict.fromkeys(scopes))
        self.woken: Final = asyncio.Event()
        self._seen: dict[str, int] = {}

    def news(self, versions: Mapping[str, int]) -> Mapping[str, int]:
        """The versions of its scopes that it has not seen; from now on it has."""
        found = {scope: versions[scope] for scope in self.scopes if versions[scope] != self._seen.get(scope)}
        self._seen.update(found)
        return found


class Live:
    """Counts versions. Changes come from any thread; all else happens in the loop of the server."""

    def __init__(
        self,
        changes: Changes,
        *,
        interval: float = INTERVAL_SECONDS,
        most: int = MOST_CLIENTS,
        first: int | None = None,
    ) -> None:
        """``first`` is the first version: by default the time, so that a process that starts again goes on above."""
        self.version = int(time.time() * 1000) if first is None else first
        self.closing = False
        self._interval: Final = interval
        self._most: Final = most
        self._lock: Final = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed: Jobs = frozenset()
        self._pending = False
        self._ticked = float("-inf")
        self._waiting: dict[str, set[LiveClient]] = {}
        self._versions: dict[str, int] = {}
        self.clients = 0
        changes.listen(self._hear)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Use the running loop while it is entered."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
            if self._pending:
                self._loop.call_soon(self._schedule)
        try:
            yield
        finally:
            with self._lock:
                self._loop = None

    def close(self) -> None:
        """End all streams, so that the server can stop. From any thread."""
        self.closing = True
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(lambda: self._wake(tuple(self._waiting)))

    def _hear(self, jobs: Jobs) -> None:
        with self._lock:
            known = None if jobs is None or self._changed is None else self._changed | jobs
            self._changed = known if known is None or len(known) <= _MOST_JOBS else None
            if self._loop is not None and not self._pending:
                self._loop.call_soon_threadsafe(self._schedule)
            self._pending = True

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_at(max(loop.time(), self._ticked + self._interval), self._tick)

    def _tick(self) -> None:
        with self._lock:
            changed, self._changed, self._pending = self._changed, frozenset(), False
        self._ticked = asyncio.get_running_loop().time()
        self.version += 1
        scopes = self._touched(changed)
        self._versions.update(dict.fromkeys(scopes, self.version))
        self._wake(scopes)

    def _touched(self, changed: Jobs) -> tuple[str, ...]:
        """The scopes that clients wait for and that changed."""
        if changed is None:
            return tuple(self._waiting)
        if len(changed) < len(self._waiting):
            return tuple(filter(self._waiting.__contains__, (ALL, *(JOB + job for job in changed))))
        return tuple(scope for scope in self._waiting if scope == ALL or scope.removeprefix(JOB) in changed)

    def _wake(self, scopes: Iterable[str]) -> None:
        for scope in scopes:
            for client in self._waiting.get(scope, ()):
                client.woken.set()

    @contextmanager
    def joined(self, scopes: Iterable[str]) -> Iterator[LiveClient]:
        """A client of these scopes while it is entered. Raises Problem if there are too many."""
        if self.clients >= self._most:
            headers = {"Retry-After": str(RETRY_SECONDS)}
            detail = f"{self._most} clients wait for changes already; close some, or ask again later"
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, "too-many-clients", detail, headers=headers)
        client = LiveClient(scopes)
        self.clients += 1
        metrics.LIVE_CLIENTS.set(self.clients)
        for scope in client.scopes:
            self._waiting.setdefault(scope, set()).add(client)
            self._versions.setdefault(scope, self.version)
        try:
            yield client
        finally:
            self.clients -= 1
            metrics.LIVE_CLIENTS.set(self.clients)
            self._leave(client)

    def _leave(self, client: LiveClient) -> None:
        for scope in client.scopes:
            self._waiting[scope].discard(client)
            if not self._waiting[scope]:
                del self._waiting[scope], self._versions[scope]

    def news(self, client: LiveClient) -> Mapping[str, int]:
        """The versions that a client has not seen yet."""
        return client.news(self._versions)
