"""Configuration: settings and rules as their files say, read at the start and again when they change."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.cluster.rulebook import Rulebook, read_rulebook
from agent.documents.problem import ManifestError
from agent.settings import ConfigError
from agent.settings.cluster import ClusterSettings
from agent.settings.reloading import Reading, changed, look_at

REFUSALS: Final = (ConfigError, ManifestError)
"""What files that cannot be used raise, with every fault."""

_RELOADED: Final = ("categories", "redaction", "deadlines", "log")
"""Settings that hold at once when they are changed; all others need a restart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings, and the rules read and compiled from the files they name."""

    settings: ClusterSettings
    rules: Rulebook


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationFiles:
    """Where a configuration comes from. ``load`` reads the settings from ``file``, if there is one."""

    file: Path | None
    load: Callable[[], ClusterSettings]

    def read(self, *, running: ClusterSettings | None = None) -> Reading[Configuration]:
        """Read all. ``running``: settings that hold until a restart; rules are held against what these watch.

        Raises ConfigError and ManifestError with every fault.
        """
        seen = dict(look_at([] if self.file is None else [self.file]))
        settings = self.load()
        seen |= look_at([settings.categories])
        watched = (running or settings).watch.event_types
        rules = read_rulebook(settings.categories, settings.redaction, event_types=watched)
        return Reading(value=Configuration(settings=settings, rules=rules), seen=seen)


def changed_now(before: ClusterSettings, after: ClusterSettings) -> tuple[str, ...]:
    """The settings that differ and hold at once."""
    return tuple(name for name in changed(before, after) if name.split(".")[0] in _RELOADED)


def changed_later(before: ClusterSettings, after: ClusterSettings) -> tuple[str, ...]:
    """The settings that differ and hold only after a restart."""
    return tuple(name for name in changed(before, after) if name.split(".")[0] not in _RELOADED)
