"""Rights: what the agent may not do although it must, found out early and said aloud (log, metric, readiness)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

import msgspec
import structlog

from agent.cluster.roles import role_of
from agent.kube.access import REVIEWS, Access, access_of
from agent.kube.connection import Params
from agent.kube.errors import ApiError, Unreachable
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)
_AT_MOST_SAID: Final = 5
_AT_MOST_ASKED: Final = 1_000

IsGranted = Callable[[Access], Awaitable[bool]]
"""Asks the API server. Raises ApiError, Unreachable and msgspec.DecodeError."""


class Rights:
    """Asks about every right that is needed, and about every one that was refused until it is granted.

    ``used_if_granted`` are rights that are missing only once they were there. ``interval`` is how many seconds lie
    between two reviews; a refusal has one made at once.
    """

    def __init__(
        self,
        is_granted: IsGranted,
        *,
        needed: Iterable[Access],
        used_if_granted: Iterable[Access] = (),
        interval: float,
    ) -> None:
        self._is_granted = is_granted
        self._needed = dict.fromkeys(needed)
        self._used_if_granted = dict.fromkeys(used_if_granted)
        self._interval = interval
        self._missing: dict[Access, None] = {}
        self._wake = asyncio.Event()

    def refused(self, method: str, path: str, params: Params) -> None:
        """The API server answered a request with 403. Call on the event loop."""
        access = access_of(method, path, params)
        if access is None or path == REVIEWS:
            return
        metrics.REFUSALS.labels(access.verb, access.resource).inc()
        if access not in self._missing and len(self._missing) < _AT_MOST_ASKED:
            self._miss(access)
            self._wake.set()

    def check(self) -> str | None:
        """What readiness asks."""
        if not self._missing:
            return None
        said = [_words(access) for access in self._missing]
        rest = len(said) - _AT_MOST_SAID
        return "; ".join(said[:_AT_MOST_SAID]) + (f"; and {rest} more" if rest > 0 else "")

    async def run(self) -> None:
        """Review until cancelled."""
        while True:
            await self.review()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval):
                    await self._wake.wait()
            self._wake.clear()

    async def review(self) -> None:
        """Ask once about all that is needed or missing."""
        for access in self._needed | self._used_if_granted | self._missing:
            try:
                granted = await self._is_granted(access)
            except (ApiError, Unreachable, msgspec.DecodeError) as error:
                _log.debug("the API server does not say what we may do; will ask again", error=str(error))
                return
            if granted:
                if access in self._used_if_granted:
                    self._needed[access] = None
                self._regain(access)
            elif access in self._needed or access in self._missing:
                self._miss(access)

    def _miss(self, access: Access) -> None:
        if access not in self._missing:
            self._missing[access] = None
            _log.error(_words(access), verb=access.verb, resource=access.resource, role=role_of(access))
            self._measure(access)

    def _regain(self, access: Access) -> None:
        if access in self._missing:
            del self._missing[access]
            _log.info(f"may {access} now")
            self._measure(access)

    def _measure(self, access: Access) -> None:
        """One gauge for all namespaces, so that their number does not count."""
        missing = any((each.verb, each.resource) == (access.verb, access.resource) for each in self._missing)
        metrics.MISSING_RIGHTS.labels(access.verb, access.resource, role_of(access)).set(missing)


def _words(access: Access) -> str:
    role = role_of(access)
    return f"may not {access}: " + (f"{role} grants it" if role else "no role of ours grants it")
