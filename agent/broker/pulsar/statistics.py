"""What the admin API says of topics, for a caller that must not wait for long."""

import time
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from agent.broker.port import Unreachable
from agent.broker.pulsar.admin import internal_stats
from agent.settings.pulsar import PulsarSettings

_SECONDS: Final = 1.0
_PAUSE: Final = 30.0
"""Seconds in which an admin API is not asked that did not answer: the caller waits for each answer."""


class Statistics:
    """The internal statistics of topics of one namespace. May be used by several threads."""

    def __init__(self, url: str, settings: PulsarSettings, *, namespace: str) -> None:
        self._url = url
        self._settings = settings
        self._namespace = namespace
        self._lock = Lock()
        self._silent: tuple[float, Unreachable] | None = None

    def of(self, topic: str) -> Mapping[str, Any]:
        """Raises NotFound, Forbidden, Unreachable and BadAddress."""
        with self._lock:
            silent = self._silent
        if silent is not None and time.monotonic() < silent[0]:
            raise Unreachable(f"{silent[1]}; asked again within {_PAUSE:.0f} s")
        try:
            stats = internal_stats(self._url, self._settings, namespace=self._namespace, topic=topic, seconds=_SECONDS)
        except Unreachable as error:
            with self._lock:
                self._silent = (time.monotonic() + _PAUSE, error)
            raise
        with self._lock:
            self._silent = None
        return stats
