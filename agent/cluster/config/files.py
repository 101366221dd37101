"""Configuration: settings and rules as their files say, read at the start and again when they change."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from agent.cluster.config.rules import RulesInForce, read_rules
from agent.documents.problem import ManifestError
from agent.settings import ConfigError
from agent.settings.cluster import ClusterSettings
from agent.settings.reloading import Reading, Reloading, ReloadRefused, changed, digests_of
from agent.telemetry import configuration_metrics as metrics

_log = structlog.get_logger(__name__)

REFUSALS: Final = (ConfigError, ManifestError)
"""What unusable files raise, with every fault."""

_RELOADED: Final = ("categories", "redaction", "deadlines", "log")
"""Settings that hold at once when they are changed; all others need a restart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings, and the rules read and compiled from the files they name."""

    settings: ClusterSettings
    rules: RulesInForce


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationFiles:
    """Where a configuration comes from. ``load`` reads the settings from ``file``, if there is one."""

    file: Path | None
    load: Callable[[], ClusterSettings]

    def read(self, *, running: ClusterSettings | None = None) -> Reading[Configuration]:
        """Read all. ``running``: settings in force until a restart; rules are checked against the events these watch.

        Raises ConfigError and ManifestError with every fault.
        """
        seen = dict(digests_of([] if self.file is None else [self.file]))
        settings = self.load()
        seen |= digests_of([settings.categories])
        watched = (running or settings).watch.event_types
        rules = read_rules(settings.categories, settings.redaction, event_types=watched)
        return Reading(value=Configuration(settings=settings, rules=rules), seen=seen)


def changed_now(before: ClusterSettings, after: ClusterSettings) -> tuple[str, ...]:
    """The settings that differ and hold at once."""
    return tuple(name for name in changed(before, after) if name.split(".")[0] in _RELOADED)


def changed_later(before: ClusterSettings, after: ClusterSettings) -> tuple[str, ...]:
    """The settings that differ and hold only after a restart."""
    return tuple(name for name in changed(before, after) if name.split(".")[0] not in _RELOADED)


class Reloader:
    """Looks at the files every ``reload`` of the settings; calls ``use`` on the event loop with a good new one."""

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
        while True:
            await asyncio.sleep(self._started.settings.reload.total_seconds())
            try:
                await self.look()
            except Exception:  # noqa: BLE001 - an unforeseen fault in a file must not end the reloading
                metrics.refused()
                _log.exception("changed settings or rules cannot be read; the last good ones hold")

    async def look(self) -> None:
        found = await asyncio.to_thread(self._reloading.poll)
        if isinstance(found, ReloadRefused):
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
