"""The reloader: makes changed settings and policies take effect in the running scheduler."""

from collections.abc import Callable
from threading import Event

import structlog

from agent.scheduler.config.files import REFUSALS, Configuration, ConfigurationFiles, changed_later
from agent.settings.reloading import Reading, Reloading, ReloadRefused
from agent.telemetry import configuration_metrics as metrics

_log = structlog.get_logger(__name__)


class Reloader:
    """Looks at the files every ``reload`` (a setting); calls ``use``, on its thread, with a changed configuration."""

    def __init__(
        self, reading: Reading[Configuration], files: ConfigurationFiles, *, use: Callable[[Configuration], None]
    ) -> None:
        self._started = self._current = reading.value
        self._reloading = Reloading(reading, read=files.read, refusals=REFUSALS)
        self._use = use
        metrics.POLICIES.info({"revision": reading.value.revision})

    def run(self, stop: Event) -> None:
        """Look until ``stop`` is set."""
        while not stop.wait(self._started.settings.reload.total_seconds()):
            try:
                self.look()
            except Exception:  # noqa: BLE001 - an unforeseen error in one file must not end the reloading
                metrics.refused()
                _log.exception("changed settings or policies cannot be read; the last good ones hold")

    def look(self) -> None:
        found = self._reloading.poll()
        if isinstance(found, ReloadRefused):
            metrics.refused()
            _log.error("changed settings or policies cannot be used; the last good ones hold", faults=found.problem)
        elif found is not None:
            self._apply(found.value)

    def _apply(self, new: Configuration) -> None:
        before, self._current = self._current, new
        # Compared with the start, not with the last reload: a setting stays pending until the restart.
        later = changed_later(self._started.settings, new.settings)
        self._use(new)
        metrics.taken(restart_needed=len(later))
        metrics.POLICIES.info({"revision": new.revision})
        _log.info(
            "settings and policies were read again",
            policies=new.names(),
            revision=new.revision,
            revision_before=before.revision,
        )
        if later:
            _log.warning("some changed settings hold only after a restart", settings=later)
