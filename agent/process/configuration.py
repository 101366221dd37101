"""The configuration of a process: its settings, and the files that they name."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from agent.process.reloading import Digests, Reading, digests_of
from agent.settings.base import LogSettings
from agent.settings.effect import Applies


class ProcessSettings(Protocol):
    """What this package needs of ``agent.settings.effect.RootSettings``.

    ``reload``: how often files are checked for changes.
    """

    @property
    def log(self) -> LogSettings: ...

    @property
    def reload(self) -> timedelta: ...

    def changed(self, after: Self) -> tuple[str, ...]:
        """The settings that differ, as files spell them."""

    def applies(self, setting: str) -> Applies:
        """When a change of a setting applies."""


class Configured(Protocol):
    """A process's configuration. ``revision``: a hash of the content that affects decisions."""

    @property
    def settings(self) -> ProcessSettings: ...

    @property
    def revision(self) -> str: ...


SettingsT = TypeVar("SettingsT", bound=ProcessSettings)
ConfiguredT = TypeVar("ConfiguredT", bound=Configured)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationFiles(Generic[SettingsT, ConfiguredT]):
    """Where a configuration comes from.

    ``load`` reads the settings, from ``file`` if there is one; ``named`` gives the files that they name, and
    ``compiled`` reads those. Both raise one of ``refusals``, with every fault, for files that cannot be used.
    """

    file: Path | None
    load: Callable[[], SettingsT]
    named: Callable[[SettingsT], Iterable[Path]]
    compiled: Callable[[SettingsT, Digests], ConfiguredT]
    refusals: tuple[type[Exception], ...]

    def read(self) -> Reading[ConfiguredT]:
        """Read all files. Raises one of ``refusals``."""
        # The digest is taken before the files are parsed, so the next poll finds a change in between.
        seen = digests_of([] if self.file is None else [self.file])
        settings = self.load()
        named = digests_of(self.named(settings))
        return Reading(value=self.compiled(settings, named), seen={**seen, **named})
