"""Watches: which events a client gets for a change, depending on its selectors and options."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Final

import msgspec

from agent.simulator.kinds import Json, Kind
from agent.simulator.options import WatchOptions
from agent.simulator.selection import Selection
from agent.simulator.status import StatusError
from agent.simulator.store import Collection, Store, StoredChange

BATCH: Final = 500
"""Changes written to a client at once."""

_INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class Watch:
    """One watch of one client. Like the server, it waits for a version that does not exist yet."""

    def __init__(self, store: Store, kind: Kind, selection: Selection, options: WatchOptions) -> None:
        self._store = store
        self._collection: Collection = store.collections[kind.plural]
        self._kind = kind
        self._selection = selection
        self._options = options
        self._version = options.since or 0

    def current(self) -> Iterator[bytes]:
        """Every object as ADDED, if the client gave no version to start from, or asked for a streamed list.

        A streamed list ends with the bookmark that says so.
        """
        if self._options.since is not None and not self._options.streamed:
            return
        self._version = self._store.version
        things = [stored for stored in self._store.all(self._kind) if self._selection.fits(stored.object)]
        for start in range(0, len(things), BATCH):
            page = things[start : start + BATCH]
            yield b"".join(StoredChange(0, "ADDED", stored.object, None, stored.raw).line() for stored in page)
        if self._options.streamed and self._options.bookmarks:
            yield self._bookmark({_INITIAL_EVENTS_END: "true"}, version=self._version)

    async def lines(self, *, bookmark_seconds: float | None, until: float) -> AsyncIterator[bytes]:
        """Whole lines, until the loop's time ``until``; an ERROR line ends it if its version is compacted away."""
        loop = asyncio.get_running_loop()
        next_bookmark = None if bookmark_seconds is None else loop.time() + bookmark_seconds
        while loop.time() < until:
            changed = self._collection.changed
            try:
                news = self._collection.since(self._version, at_most=BATCH)
            except StatusError as refused:
                yield error_line(refused)
                return
            if news:
                self._version = news[-1].version
                yield b"".join(self._lines_of(news))
                continue
            if next_bookmark is not None and bookmark_seconds is not None and loop.time() >= next_bookmark:
                next_bookmark = loop.time() + bookmark_seconds
                self._version = max(self._version, self._store.version)
                yield self._bookmark(version=self._version)
            await _wait(changed, min(until, until if next_bookmark is None else next_bookmark) - loop.time())

    def _lines_of(self, news: list[StoredChange]) -> Iterator[bytes]:
        if self._selection.everything:
            yield from (change.line() for change in news)
            return
        for change in news:
            event_type = self._event_type(change)
            if event_type == "DELETED" and change.type != "DELETED":
                yield _left_selection(change)
            elif event_type:
                yield change.line(event_type)

    def _event_type(self, change: StoredChange) -> str:
        """The type of event for this client; ``""`` if its selectors exclude the object."""
        before = change.previous is not None and self._selection.fits(change.previous)
        now = change.type != "DELETED" and self._selection.fits(change.object)
        match (before, now):
            case (True, True):
                return "MODIFIED"
            case (False, True):
                return "ADDED"
            case (True, False):
                return "DELETED"
            case _:
                return ""

    def _bookmark(self, annotations: Json | None = None, *, version: int) -> bytes:
        metadata = {"resourceVersion": str(version), **({"annotations": annotations} if annotations else {})}
        head = {"kind": self._kind.name, "apiVersion": self._kind.api_version, "metadata": metadata}
        return msgspec.json.encode({"type": "BOOKMARK", "object": {**head, **self._kind.bare}}) + b"\n"


def _left_selection(change: StoredChange) -> bytes:
    """An object that no longer matches is reported as deleted, in its previous state, at the version of the change."""
    previous = change.previous or change.object
    metadata = {**previous["metadata"], "resourceVersion": str(change.version)}
    return msgspec.json.encode({"type": "DELETED", "object": {**previous, "metadata": metadata}}) + b"\n"


def error_line(refused: StatusError) -> bytes:
    return msgspec.json.encode({"type": "ERROR", "object": refused.status}) + b"\n"


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await changed.wait()
    except TimeoutError:
        return
