"""The reflector: list one kind of object, watch it, and resume whatever happens.

The rules for resuming are those of client-go's Reflector (k8s.io/client-go, tools/cache/reflector.go). The list is
streamed (WatchList, KEP-3157) where the server supports that, else read in pages.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Final, Generic, TypeVar, assert_never

import structlog

from agent.backoff import DecorrelatedBackoff
from agent.kube.codec import (
    Bookmark,
    Codec,
    ErrorEvent,
    ObjectEvent,
    Readable,
    Undecodable,
    Unreadable,
)
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Forbidden, Gone, NotStreamed, Unreachable, error_for
from agent.kube.lines import LineSplitter, LongLine
from agent.kube.reflector.cache import Cache, Change, ListedUids, StreamedList
from agent.kube.reflector.metrics import ReflectorStats

T = TypeVar("T", bound=Readable)
K = TypeVar("K")

_STREAM_GRACE_SECONDS: Final = 30.0
"""How much longer than ``timeoutSeconds`` a watch may take: the server should end it first, and cleanly."""

_OBJECTS_PER_TURN: Final = 50
"""Objects handled before other tasks get a turn: a page of a large cluster would block the event loop."""

_STREAMED_LIST_PARAMS: Final[Mapping[str, str]] = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
_NOT_STREAMED_STATUSES: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""Answers of a server that cannot stream a list: without its feature gate the parameters are not valid (KEP-3157)."""

_LOG = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a reflector asks. All in seconds, except ``page_size``: objects per page of a list.

    ``streamed_lists``: whether to try a streamed list first (WatchList). ``list_seconds``: how long one page may take;
    a streamed list that takes longer and breaks off is replaced by pages. ``watch_seconds``: shortest and longest
    watch. ``idle_seconds``: how long a watch may be silent (a server sends a bookmark about once a minute).
    ``settled_seconds``: how long a watch must have lasted for the back-off to be reset.
    """

    page_size: int = 250
    list_seconds: float = 120.0
    watch_seconds: tuple[float, float] = (240.0, 480.0)
    idle_seconds: float = 120.0
    settled_seconds: float = 10.0
    streamed_lists: bool = True
    backoff: DecorrelatedBackoff = field(default_factory=DecorrelatedBackoff)


class Reflector(Generic[T, K]):
    """Calls ``handler`` for every change to the objects under ``path`` that match the selectors, in order.

    ``handler`` is awaited before the next change is read, so a full queue behind it slows the server down. An
    exception from ``handler`` ends :meth:`run`; nothing else does. ``synced`` is set once a whole list was handled.
    Changes may repeat after a restart of the process, not within it; without a cache (``remembers=False``) they also
    repeat after each list.
    """

    def __init__(  # noqa: PLR0913 - what it watches, what to do with it, and the clock, randomness and pace of a test
        self,
        connection: Connection,
        *,
        path: str,
        decode: type[T],
        keep: Callable[[T], K] | None = None,
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
        self.cache: Cache[T, K] = Cache(keep, remembers=remembers)
        self._connection = connection
        self._path = path
        self._codec = Codec(decode)
        self._handler = handler
        self._selectors = _selectors(labels=labels, fields=fields)
        self._pace = pace if pace is not None else Pace()
        self._clock = clock
        self._draw = draw
        self._resource_version: str | None = None
        self._streams_lists = self._pace.streamed_lists
        self._streamed_list: StreamedList | None = None
        self._watching_since: float | None = None
        self._backoff = self._pace.backoff
        self._log = _LOG.bind(path=path)

    async def run(self) -> None:
        while True:
            self._watching_since = None
            error = await self._attempt()
            await asyncio.sleep(self._seconds_to_wait(error, watched=self._watched_seconds()))

    async def _attempt(self) -> Exception | None:
        """List if there is no version to watch from, then watch to the end. Returns the error that ended it, if any."""
        try:
            await self._list_and_watch()
        except Gone as gone:
            # 410: the version is compacted away, so only a new list can say what is there.
            self.stats.gone += 1
            self._resource_version = None
            return gone
        except Unreadable as error:
            # A change may be lost with the bytes that could not be read, so the version is no longer usable.
            self.stats.bad += 1
            self._resource_version = None
            self._log.warning("the server sent bytes that are no list or watch event; listing again", error=str(error))
            return error
        except (ApiError, Unreachable) as error:
            self._count(error)
            return error
        return None

    async def _list_and_watch(self) -> None:
        if self._resource_version is None and self._streams_lists:
            try:
                await self._list_by_stream()
            except NotStreamed as error:
                self._streams_lists = False
                self._log.info("the server does not support streamed lists; listing in pages", why=str(error))
            else:
                return
        if self._resource_version is None:
            self._resource_version = await self._list_in_pages()
        await self._watch({"resourceVersion": self._resource_version})

    def _watched_seconds(self) -> float:
        return 0.0 if self._watching_since is None else self._clock() - self._watching_since

    def _count(self, error: ApiError | Unreachable) -> None:
        self.stats.errors += 1
        if isinstance(error, Forbidden):
            self.stats.forbidden += 1
            self._log.error(
                "the API server forbids this list or watch; grant the permission; retrying", error=str(error)
            )
        elif self._watched_seconds() > self._pace.settled_seconds:
            self._log.info("the watch was cut off; resuming it", error=str(error))
        else:
            self._log.warning("a list or watch failed; retrying", error=str(error))

    def _seconds_to_wait(self, error: Exception | None, *, watched: float) -> float:
        """Seconds until the next attempt. Only a watch that lasted resets the back-off.

        A server that accepts each watch and closes it at once would otherwise get hundreds of requests a second.
        """
        settled = watched > self._pace.settled_seconds
        if settled:
            self._backoff = self._backoff.reset()
            if error is None:
                return 0.0
        wanted = error.retry_after if isinstance(error, ApiError) else None
        self._backoff, seconds = self._backoff.after(self._draw(), retry_after=wanted)
        return seconds

    async def _list_in_pages(self) -> str:
        """Read the whole list page by page and notify its changes. Returns the version to watch from."""
        self.stats.lists += 1
        began = self._clock()
        listed = ListedUids(known=len(self.cache))
        token = ""
        while True:
            token, version = await self._list_page(token, listed)
            if not token:
                await self._complete_list(listed, began=began)
                return version

    async def _list_page(self, token: str, listed: ListedUids) -> tuple[str, str]:
        """Read one page and notify its changes. Returns the token of the next page, and the list's version.

        A function of its own, so that the page is freed before the next one is read.
        """
        params = {"limit": str(self._pace.page_size)} | ({"continue": token} if token else {})
        page = self._codec.read_page(
            await self._connection.get(self._path, self._selectors | params, seconds=self._pace.list_seconds)
        )
        self.stats.last_heard = self._clock()
        for undecodable in page.undecodable:
            listed.add(undecodable.uid)
            self._skip(undecodable)
        for start in range(0, len(page.objects), _OBJECTS_PER_TURN):
            for item in page.objects[start : start + _OBJECTS_PER_TURN]:
                listed.add(item.metadata.uid or "")
                await self._notify(self.cache.put(item))
            await asyncio.sleep(0)
        return page.continue_token, page.resource_version

    async def _complete_list(self, listed: ListedUids, *, began: float) -> None:
        """A whole list was handled: cached objects that it did not name are gone."""
        await self._notify(self.cache.sweep(listed))
        listed.clear()
        self.stats.sync_seconds = self._clock() - began
        self.synced.set()

    async def _list_by_stream(self) -> None:
        """Stream a list and then watch, in one request. Raises NotStreamed where the server does not support it."""
        self.stats.lists += 1
        self._streamed_list = streamed = StreamedList(began=self._clock(), listed=ListedUids(known=len(self.cache)))
        try:
            await self._watch(_STREAMED_LIST_PARAMS)
        except ApiError as error:
            if error.status in _NOT_STREAMED_STATUSES and not streamed.answered:
                raise NotStreamed(str(error)) from error
            raise
        finally:
            # A slow link that breaks every long stream would otherwise never let a list complete.
            if not streamed.complete and self._clock() - streamed.began >= self._pace.list_seconds:
                self._streams_lists = False
                self._log.warning("a streamed list did not complete in time; listing in pages from now on")
            self._streamed_list = None

    async def _watch(self, start: Mapping[str, str]) -> None:
        self.stats.watches += 1
        # Random, so that the watches of all replicas and kinds do not end at the same moment.
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
            self._watching_since = None if self._streamed_list is not None else self._clock()
            await self._follow(chunks)

    async def _follow(self, chunks: AsyncIterator[bytes]) -> None:
        splitter = LineSplitter()
        async for chunk in chunks:
            self.stats.last_heard = self._clock()
            for number, line in enumerate(splitter.feed(chunk), start=1):
                await self._handle_line(line)
                if number % _OBJECTS_PER_TURN == 0:
                    await asyncio.sleep(0)

    async def _handle_line(self, line: bytes | LongLine) -> None:
        event = self._codec.read_event(line)
        if self._streamed_list is not None:
            self._streamed_list.answered = True
        match event:
            case ObjectEvent():
                await self._handle_object(event)
            case Bookmark():
                self.stats.bookmarks += 1
                await self._handle_bookmark(event)
            case ErrorEvent():
                raise error_for(event.status, event.reason, event.message)
            case _:
                assert_never(event)

    async def _handle_bookmark(self, bookmark: Bookmark) -> None:
        if (streamed := self._streamed_list) is not None:
            # An older server ignores ``sendInitialEvents`` and starts a plain watch, whose bookmarks end no list.
            if not bookmark.ends_list:
                raise NotStreamed("a bookmark arrived before the end of the list")
            await self._complete_list(streamed.listed, began=streamed.began)
            streamed.complete = True
            self._streamed_list = None
            self._watching_since = self._clock()
        self._resource_version = bookmark.resource_version or self._resource_version

    async def _handle_object(self, event: ObjectEvent[T]) -> None:
        """Apply an event. The version to resume from does not change until a streamed list is complete."""
        item = event.object
        uid = item.uid if isinstance(item, Undecodable) else item.metadata.uid or ""
        version = await self._apply(item, deleted=event.type == "DELETED")
        if self._streamed_list is None:
            self._resource_version = version or self._resource_version
        elif event.type == "DELETED":
            self._streamed_list.listed.discard(uid)
        else:
            self._streamed_list.listed.add(uid)

    async def _apply(self, item: T | Undecodable, *, deleted: bool) -> str | None:
        """Update the cache and notify what changed. Returns the object's version."""
        if isinstance(item, Undecodable):
            self._skip(item)
            if deleted:
                await self._notify(self.cache.remove_undecodable(item))
            return item.resource_version
        await self._notify(self.cache.remove(item) if deleted else self.cache.put(item))
        return item.metadata.resourceVersion

    async def _notify(self, changes: Iterable[Change[T, K]]) -> None:
        for change in changes:
            self.stats.changes += 1
            await self._handler(change)

    def _skip(self, undecodable: Undecodable) -> None:
        self.stats.bad += 1
        self.cache.put_undecodable(undecodable)
        self._log.warning("an object cannot be decoded; skipping it", **asdict(undecodable))


def _selectors(*, labels: str, fields: str) -> dict[str, str]:
    given = {"labelSelector": labels, "fieldSelector": fields}
    return {name: value for name, value in given.items() if value}
