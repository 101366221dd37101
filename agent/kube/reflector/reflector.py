"""Mirrors one kind of object: a list, then a watch that is taken up again whatever happens.

Requirements: reference/performance.md 2c. The list is streamed (WatchList) where the server does that, else paged.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Generic, TypeVar, assert_never

import structlog

from agent.kube.codec import (
    Bookmark,
    Codec,
    LineSplitter,
    LineTooLong,
    Readable,
    Refusal,
    Seen,
    Undecodable,
    Unreadable,
)
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Forbidden, Gone, NotStreamed, Unreachable, refused
from agent.kube.reflector.cache import Cache, Change, ListedUids
from agent.kube.reflector.metrics import ReflectorStats
from agent.kube.reflector.pace import Pace

T = TypeVar("T", bound=Readable)
K = TypeVar("K")

_STREAM_GRACE_SECONDS: Final = 30.0
_TURN: Final = 50
"""Objects told of before others get a turn of the event loop."""

_STREAMED_LIST: Final[Mapping[str, str]] = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
_NOT_STREAMED: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""How a server refuses to stream a list (performance.md 2c.1)."""

_LOG = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class _Filling:
    """A streamed list under way: which objects it named so far."""

    began: float
    roll: ListedUids
    heard: bool = False
    complete: bool = False


class Reflector(Generic[T, K]):
    """Tells ``handler`` of every change to the objects under ``path`` that fit the selectors, in order.

    ``handler`` is awaited before the next change is read, so a full queue behind it pushes back to the server; what
    it raises ends :meth:`run`. Nothing else does. ``synced`` is set once a whole list was told. Changes may repeat
    after a restart of the process, not within it; and where nothing is kept of the objects (``remembers``), after
    each list.
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
        remembers: bool = True,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.monotonic,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.synced = asyncio.Event()
        self.stats = ReflectorStats()
        self.inventory: Cache[T, K] = Cache(keep, remembers=remembers)
        self._connection = connection
        self._path = path
        self._codec = Codec(decode)
        self._handler = handler
        self._selectors = _selectors(labels=labels, fields=fields)
        self._pace = pace if pace is not None else Pace()
        self._clock = clock
        self._draw = draw
        self._resource_version: str | None = None
        self._streams = self._pace.streamed_lists
        self._filling: _Filling | None = None
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
            await self._list_and_watch()
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

    async def _list_and_watch(self) -> None:
        if self._resource_version is None and self._streams:
            try:
                await self._watch_from_nothing()
            except NotStreamed as error:
                self._streams = False
                self._log.info("the server does not stream lists; listing in pages", why=str(error))
            else:
                return
        if self._resource_version is None:
            self._resource_version = await self._fill()
        await self._watch({"resourceVersion": self._resource_version})

    def _lived(self) -> float:
        return 0.0 if self._watching_since is None else self._clock() - self._watching_since

    def _count(self, error: ApiError | Unreachable) -> None:
        self.stats.errors += 1
        if isinstance(error, Forbidden):
            self.stats.forbidden += 1
            self._log.error("not allowed to list or watch; will ask again", error=str(error))
        elif self._lived() > self._pace.settled_seconds:
            self._log.info("a watch was cut off; taking it up again", error=str(error))
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
        began = self._clock()
        roll = ListedUids(known=len(self.inventory))
        token = ""
        while True:
            token, version = await self._fill_from_page(token, roll)
            if not token:
                await self._complete(roll, began=began)
                return version

    async def _fill_from_page(self, token: str, roll: ListedUids) -> tuple[str, str]:
        """Read one page and tell of it. Returns the next one's token and the version; of the page nothing stays."""
        params = {"limit": str(self._pace.page_size)} | ({"continue": token} if token else {})
        page = self._codec.read_page(
            await self._connection.get(self._path, self._selectors | params, seconds=self._pace.list_seconds)
        )
        self.stats.last_heard = self._clock()
        for odd in page.odd:
            roll.name(odd.uid)
            self._skip(odd)
        for start in range(0, len(page.objects), _TURN):
            for thing in page.objects[start : start + _TURN]:
                roll.name(thing.metadata.uid or "")
                await self._tell(self.inventory.put(thing))
            await asyncio.sleep(0)
        return page.continue_token, page.resource_version

    async def _complete(self, roll: ListedUids, *, began: float) -> None:
        """A whole list was told: what it did not name is gone."""
        await self._tell(self.inventory.sweep(roll))
        roll.clear()
        self.stats.sync_seconds = self._clock() - began
        self.synced.set()

    async def _watch_from_nothing(self) -> None:
        """A streamed list, and the watch it goes over into. Raises NotStreamed where the server does not do that."""
        self.stats.lists += 1
        self._filling = filling = _Filling(began=self._clock(), roll=ListedUids(known=len(self.inventory)))
        try:
            await self._watch(_STREAMED_LIST)
        except ApiError as error:
            if error.status in _NOT_STREAMED and not filling.heard:
                raise NotStreamed(str(error)) from error
            raise
        finally:
            if not filling.complete and self._clock() - filling.began >= self._pace.list_seconds:
                self._streams = False
                self._log.warning("a streamed list did not come to its end; listing in pages from now on")
            self._filling = None

    async def _watch(self, start: Mapping[str, str]) -> None:
        self.stats.watches += 1
        shortest, longest = self._pace.watch_seconds
        seconds = shortest + self._draw() * (longest - shortest)
        params = self._selectors | {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, round(seconds))),
            **start,
        }
        async with self._connection.stream(
            self._path, params, seconds=seconds + _STREAM_GRACE_SECONDS, idle_seconds=self._pace.idle_seconds
        ) as chunks:
            self._watching_since = None if self._filling is not None else self._clock()
            await self._follow(chunks)

    async def _follow(self, chunks: AsyncIterator[bytes]) -> None:
        splitter = LineSplitter()
        async for chunk in chunks:
            self.stats.last_heard = self._clock()
            for number, line in enumerate(splitter.feed(chunk), start=1):
                await self._take(line)
                if number % _TURN == 0:
                    await asyncio.sleep(0)

    async def _take(self, line: bytes) -> None:
        event = self._codec.read_event(line)
        if self._filling is not None:
            self._filling.heard = True
        match event:
            case Seen():
                await self._take_object(event)
            case Bookmark():
                self.stats.bookmarks += 1
                await self._take_bookmark(event)
            case Refusal():
                raise refused(event.status, event.reason, event.message)
            case _:
                assert_never(event)

    async def _take_bookmark(self, bookmark: Bookmark) -> None:
        if (filling := self._filling) is not None:
            if not bookmark.ends_list:
                raise NotStreamed("a bookmark came before the end of the list")
            await self._complete(filling.roll, began=filling.began)
            filling.complete = True
            self._filling = None
            self._watching_since = self._clock()
        self._resource_version = bookmark.resource_version or self._resource_version

    async def _take_object(self, event: Seen[T]) -> None:
        """Only after the end of a streamed list does an object's version say how far the watch is."""
        thing = event.object
        uid = thing.uid if isinstance(thing, Undecodable) else thing.metadata.uid or ""
        version = await self._tell_of(thing, gone=event.type == "DELETED")
        if self._filling is None:
            self._resource_version = version or self._resource_version
        elif event.type == "DELETED":
            self._filling.roll.strike(uid)
        else:
            self._filling.roll.name(uid)

    async def _tell_of(self, thing: T | Undecodable, *, gone: bool) -> str | None:
        """Tell what an object's state changes. Returns its version."""
        if isinstance(thing, Undecodable):
            self._skip(thing)
            if gone:
                await self._tell(self.inventory.remove_odd(thing))
            return thing.resource_version
        await self._tell(self.inventory.remove(thing) if gone else self.inventory.put(thing))
        return thing.metadata.resourceVersion

    async def _tell(self, changes: Iterable[Change[T, K]]) -> None:
        for change in changes:
            self.stats.changes += 1
            self.stats.objects = len(self.inventory)
            await self._handler(change)

    def _skip(self, odd: Undecodable) -> None:
        self.stats.bad += 1
        self.inventory.put_odd(odd)
        self._log.warning("an object cannot be read and is skipped", uid=odd.uid, error=odd.why)


def _selectors(*, labels: str, fields: str) -> dict[str, str]:
    given = {"labelSelector": labels, "fieldSelector": fields}
    return {name: value for name, value in given.items() if value}
