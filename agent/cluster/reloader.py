"""The reloader: has the running agent go by its files as they are now."""

import asyncio
from collections.abc import Callable
from functools import partial

import structlog

from agent.cluster.configuration import REFUSALS, Configuration, ConfigurationFiles, changed_later, changed_now
from agent.settings.reloading import Reading, Refused, Reloading
from agent.telemetry import configuration_metrics as metrics

_log = structlog.get_logger(__name__)


class Reloader:
    """Looks at the files every ``reload`` of the settings; ``use`` is told, on the event loop, of what is to hold."""

    def __init__(
        self, reading: Reading[Configuration], files: ConfigurationFiles, *, use: Callable[[Configuration], None]
    ) -> None:
        self._started = self._current = reading.value
        self._reloading = Reloading(
            reading, read=partial(files.read, running=reading.value.settings), refusals=REFUSALS
        )
        self._use = use
        metrics.RULES.info({"revision": reading.value.rules.revision})

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(self._started.settings.reload.total_seconds())
            try:
                await self.look()
            except Exception:  # noqa: BLE001 - what nobody foresaw in a file must not end the looking at files
                metrics.refused()
                _log.exception("changed settings or rules cannot be read; the last good ones hold")

    async def look(self) -> None:
        """Look once."""
        found = await asyncio.to_thread(self._reloading.look)
        if isinstance(found, Refused):
            metrics.refused()
            _log.error("changed settings or rules cannot be used; the last good ones hold", faults=found.problem)
        elif found is not None:
            self._take(found.value)

    def _take(self, new: Configuration) -> None:
        before, self._current = self._current, new
        later = changed_later(self._started.settings, new.settings)
        self._use(new)
        metrics.taken(restart_needed=len(later))
        metrics.RULES.info({"revision": new.rules.revision})
        _log.info(
            "settings and rules were read again",
            changed=changed_now(before.settings, new.settings),
            rules=new.rules.revision,
            rules_before=before.rules.revision,
        )
        if later:
            _log.warning("some changed settings hold only after a restart", settings=later)
