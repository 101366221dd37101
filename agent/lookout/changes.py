"""What changed in the database, for whoever shows it: reported after each commit, by this process and by others.

Who writes takes its transaction from ``Changes.writing``. On Postgres it also sends a notice, in the same transaction,
and ``hear`` reports those of other processes. On SQLite one process writes.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.store.errors import StoreUnreachable
from agent.store.notices import LONGEST, listening, notify
from agent.store.store import Store

_log = structlog.get_logger(__name__)

CHANNEL: Final = "failure_agent_lookout"

Jobs = frozenset[str] | None
"""The jobs of which something changed; ``None``: it may be any."""

Listener = Callable[[Jobs], None]

_POLL_SECONDS: Final = 0.5
"""How often the thread checks whether it must stop."""
_AGAIN_SECONDS: Final = 1.0
"""When it tries again to listen."""
_ANY: Final = "*"


class Changes:
    """Reports changes to listeners, from the thread that made or heard of them. Listeners must not block or raise."""

    def __init__(self, name: str | None = None) -> None:
        """``name`` distinguishes this process from others that share the database."""
        self._name: Final = name or secrets.token_hex(8)
        self._listeners: tuple[Listener, ...] = ()

    def listen(self, listener: Listener) -> None:
        self._listeners = (*self._listeners, listener)

    def report(self, jobs: Jobs) -> None:
        for listener in self._listeners:
            listener(jobs)

    @contextmanager
    def writing(self, store: Store, jobs: Jobs) -> Iterator[Connection]:
        """A transaction that writes what these jobs are shown with. It is reported once it is committed."""
        with store.write() as connection:
            yield connection
            notify(connection, CHANNEL, self.notice(jobs))
        self.report(jobs)

    def notice(self, jobs: Jobs) -> str:
        """A change, as other processes read it. Too many jobs are all of them."""
        if jobs is not None and not any("\n" in job for job in jobs):
            notice = "\n".join([self._name, *sorted(jobs)])
            if len(notice.encode()) <= LONGEST:
                return notice
        return f"{self._name}\n{_ANY}\n"

    def hear(self, notice: str) -> None:
        """Report a change of another process; this one's own is reported already."""
        name, _, rest = notice.partition("\n")
        if name != self._name:
            self.report(None if rest == f"{_ANY}\n" else frozenset(filter(None, rest.split("\n"))))

    def hear_until(self, stop: Event, store: Store) -> None:
        """Hear what other processes change, on Postgres. What was missed meanwhile may be any change."""
        missed = False
        while not stop.is_set():
            try:
                with listening(store, CHANNEL) as notices:
                    if missed:
                        self.report(None)
                        _log.info("changes of other processes are heard again")
                    missed = False
                    while not stop.is_set():
                        for notice in notices.within(_POLL_SECONDS):
                            self.hear(notice)
            except StoreUnreachable as error:
                if not missed:
                    _log.warning("changes of other processes are not heard; will try again", error=str(error))
                missed = True
                stop.wait(_AGAIN_SECONDS)
