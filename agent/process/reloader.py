"""The reloader: makes changed settings and files take effect in the running process."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Generic, assert_never

import structlog
from prometheus_client import Info

from agent.process.configuration import ConfigurationFiles, ConfiguredT, SettingsT
from agent.process.reloading import Reading, Reloaded, Reloading, ReloadRefused
from agent.settings.effect import Applies
from agent.telemetry import configuration_metrics as metrics

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloadable(Generic[ConfiguredT]):
    """What a process reads again.

    ``what`` names what it reads in addition to its settings, and ``metric`` shows its revision. ``described``: fields
    of the log line about a change.
    """

    what: str
    metric: Info
    described: Callable[[ConfiguredT, ConfiguredT], Mapping[str, object]]


def changed(before: SettingsT, after: SettingsT, *, applies: Applies) -> tuple[str, ...]:
    """The settings that differ and take effect then."""
    return tuple(name for name in before.changed(after) if before.applies(name) is applies)


class Reloader(Generic[ConfiguredT]):
    """Polls the files every ``reload`` of the initial settings; calls ``use`` with a valid new configuration.

    While files cannot be used the last good configuration stays in effect, and the log says why.
    """

    def __init__(
        self,
        reading: Reading[ConfiguredT],
        files: ConfigurationFiles[SettingsT, ConfiguredT],
        reloadable: Reloadable[ConfiguredT],
        *,
        use: Callable[[ConfiguredT], None],
    ) -> None:
        self._started = self._current = reading.value
        self._reloading = Reloading(reading, read=files.read, refusals=files.refusals)
        self._reloadable = reloadable
        self._use = use
        self._every = reading.value.settings.reload.total_seconds()
        reloadable.metric.info({"revision": reading.value.revision})

    async def run(self) -> None:
        """Poll until cancelled. Files are read on another thread, ``use`` is called on the event loop."""
        while True:
            await asyncio.sleep(self._every)
            with self._going_on():
                self._take(await asyncio.to_thread(self._reloading.poll))

    def run_until(self, stop: Event) -> None:
        """Poll until ``stop`` is set; all on this thread."""
        while not stop.wait(self._every):
            self.look()

    def look(self) -> None:
        """Poll once; all on this thread."""
        with self._going_on():
            self._take(self._reloading.poll())

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        try:
            yield
        except Exception:  # noqa: BLE001 - an unforeseen error in one file must not end the reloading
            metrics.refused()
            _log.exception(
                f"changed settings or {self._reloadable.what} cannot be read; the last valid ones stay in effect"
            )

    def _take(self, found: Reloaded[ConfiguredT] | ReloadRefused | None) -> None:
        match found:
            case Reloaded(value=new):
                self._apply(new)
            case ReloadRefused(problem=problem):
                metrics.refused()
                _log.error(
                    f"changed settings or {self._reloadable.what} cannot be used; the last valid ones stay in effect",
                    faults=problem,
                )
            case None:
                pass
            case _:
                assert_never(found)

    def _apply(self, new: ConfiguredT) -> None:
        before, self._current = self._current, new
        # Compared with the start, not with the last reload: a setting stays pending until the restart.
        later = changed(self._started.settings, new.settings, applies=Applies.AFTER_RESTART)
        self._use(new)
        metrics.taken(restart_needed=len(later))
        self._reloadable.metric.info({"revision": new.revision})
        _log.info(f"settings and {self._reloadable.what} were read again", **self._reloadable.described(before, new))
        if later:
            _log.warning("some changed settings take effect only after a restart", settings=later)
