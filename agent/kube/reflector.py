"""Mirrors one kind of object: a paged list, then a watch that is taken up again whatever happens.

Requirements: reference/performance.md 2c. The filling of the inventory is one method (:meth:`Reflector._fill`), so
that a streamed list (WatchList) can take its place.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar, assert_never

import structlog

from agent.kube.backoff import Backoff
from agent.kube.codec import Bookmark, Codec, Odd, Readable, Refusal, Seen, Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Forbidden, Gone, Unreachable, refused
from agent.kube.inventory import Change, Inventory
from agent.kube.lines import LineSplitter, LineTooLong

T = TypeVar("T", bound=Readable)
K = TypeVar("K")

_STREAM_GRACE_SECONDS: Final = 30.0
_LOG = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a reflector asks. Seconds, but ``page_size``: objects per page of a list."""

    page_size: int = 500
    list_seconds: float = 120.0
    watch_seconds: tuple[float, float] = (240.0, 480.0)
    idle_seconds: float = 120.0
    settled_seconds: float = 10.0
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(slots=True)
class ReflectorStats:
    """What a reflector did so far. ``last_heard`` is in seconds of its clock, ``None`` before the first answer."""

    lists: int = 0
    watches: int = 0
    gone: int = 0
    errors: int = 0
    forbidden: int = 0
    bad: int = 0
    bookmarks: int = 0
    changes: int = 0
    objects: int = 0
    last_heard: float | None = None


class Reflector(Generic[T, K]):
    """Tells ``handler`` of every change to the objects under ``path`` that fit the selectors, in order.

    ``handler`` is awaited before the next change is read, so a full queue behind it pushes back to the server; what
    it raises ends :meth:`run`. Nothing else does. ``synced`` is set once a whole list was told. Changes may repeat
    after a restart of the process, not within it.
    """

    def __init__(  # noqa: PLR0913 - what it watches, what to do with it, and the clock, randomness and pace of a test
        self,
        connection: Connection,
        *,
        path: str,
        decode: type[T],
        keep: Callable[[T], K],
        handler: Callable[[Change[T, K]], Awaitable[None]],
        labels: str = "",
        fields: str = "",
        pace: Pace | None = None,
        clock: Callable[[], float] = time.monotonic,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.synced = asyncio.Event()
        self.stats = ReflectorStats()
        self.inventory: Inventory[T, K] = Inventory(keep)
        self._connection = connection
        self._path = path
        self._codec = Codec(decode)
        self._handler = handler
        self._selectors = _selectors(labels=labels, fields=fields)
        self._pace = pace if pace is not None else Pace()
        self._clock = clock
        self._draw = draw
        self._resource_version: str | None = None
        self._watching_since: float | None = None
        self._backoff = self._pace.backoff
        self._log = _LOG.bind(path=path)

    async def run(self) -> None:
        """List and watch until cancelled."""
        while True:
            self._watching_since = None
            error = await self._attempt()
            await asyncio.sleep(self._pause(error, lived=self._lived()))

    async def _attempt(self) -> Exception | None:
        """One list, if there is nothing to watch from, and one watch to its end. Returns what ended it, if anything."""
        try:
            if self._resource_version is None:
                self._resource_version = await self._fill()
            await self._watch(self._resource_version)
        except Gone as gone:
            self.stats.gone += 1
            self._resource_version = None
            return gone
        except (Unreadable, LineTooLong) as error:
            self.stats.bad += 1
            self._resource_version = None
            self._log.warning("what the server sent cannot be read; listing again", error=str(error))
            return error
        except (ApiError, Unreachable) as error:
            self._count(error)
            return error
        return None

    def _lived(self) -> float:
        return 0.0 if self._watching_since is None else self._clock() - self._watching_since

    def _count(self, error: ApiError | Unreachable) -> None:
        self.stats.errors += 1
        if isinstance(error, Forbidden):
            self.stats.forbidden += 1
            self._log.error("not allowed to list or watch; will ask again", error=str(error))
        else:
            self._log.warning("listing or watching failed; will ask again", error=str(error))

    def _pause(self, error: Exception | None, *, lived: float) -> float:
        """Seconds until the next attempt. Only a stream that lived says that all is well (2c.6)."""
        settled = lived > self._pace.settled_seconds
        if settled:
            self._backoff = self._backoff.reset()
            if error is None:
                return 0.0
        wish = error.retry_after if isinstance(error, ApiError) else None
        self._backoff, seconds = self._backoff.after(self._draw(), retry_after=wish)
        return seconds

    async def _fill(self) -> str:
        """Read the whole list, page by page, and tell what it changes. Returns the version to watch from."""
        self.stats.lists += 1
        seen: set[str] = set()
        params = {"limit": str(self._pace.page_size)}
        while True:
            body = await self._connection.get(self._path, self._selectors | params, seconds=self._pace.list_seconds)
            self.stats.last_heard = self._clock()
            page = self._codec.read_page(body)
            for thing in page.objects:
                seen.add(thing.metadata.uid or "")
                await self._tell(self.inventory.put(thing))
            for odd in page.odd:
                seen.add(odd.uid)
                self._skip(odd)
            if not page.continue_token:
                break
            params["continue"] = page.continue_token
            await asyncio.sleep(0)
        await self._tell(self.inventory.sweep(seen))
        self.synced.set()
        return page.resource_version

    async def _watch(self, resource_version: str) -> None:
        self.stats.watches += 1
        shortest, longest = self._pace.watch_seconds
        seconds = shortest + self._draw() * (longest - shortest)
        params = self._selectors | {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, round(seconds))),
            "resourceVersion": resource_version,
        }
        async with self._connection.stream(
            self._path, params, seconds=seconds + _STREAM_GRACE_SECONDS, idle_seconds=self._pace.idle_seconds
        ) as chunks:
            self._watching_since = self._clock()
            await self._follow(chunks)

    async def _follow(self, chunks: AsyncIterator[bytes]) -> None:
        splitter = LineSplitter()
        async for chunk in chunks:
            self.stats.last_heard = self._clock()
            for line in splitter.feed(chunk):
                await self._take(line)

    async def _take(self, line: bytes) -> None:
        event = self._codec.read_event(line)
        match event:
            case Seen():
                await self._take_object(event)
            case Bookmark(resource_version=version):
                self.stats.bookmarks += 1
                self._resource_version = version or self._resource_version
            case Refusal():
                raise refused(event.status, event.reason, event.message)
            case _:
                assert_never(event)

    async def _take_object(self, event: Seen[T]) -> None:
        thing = event.object
        if isinstance(thing, Odd):
            self._skip(thing)
            if event.type == "DELETED":
                await self._tell(self.inventory.forget(thing.uid))
            version: str | None = thing.resource_version
        else:
            change = self.inventory.remove if event.type == "DELETED" else self.inventory.put
            await self._tell(change(thing))
            version = thing.metadata.resourceVersion
        self._resource_version = version or self._resource_version

    async def _tell(self, changes: Iterable[Change[T, K]]) -> None:
        for change in changes:
            self.stats.changes += 1
            self.stats.objects = len(self.inventory)
            await self._handler(change)

    def _skip(self, odd: Odd) -> None:
        self.stats.bad += 1
        self.inventory.put_odd(odd)
        self._log.warning("an object cannot be read and is skipped", uid=odd.uid, error=odd.why)


def _selectors(*, labels: str, fields: str) -> dict[str, str]:
    given = {"labelSelector": labels, "fieldSelector": fields}
    return {name: value for name, value in given.items() if value}
