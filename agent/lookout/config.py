"""The configuration: settings from a file, read at start and again when it changes."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from agent.process.configuration import ConfigurationFiles
from agent.process.reloader import Reloadable, Reloader
from agent.process.reloading import Digests, Reading
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.lookout import LookoutSettings
from agent.telemetry import lookout_metrics as metrics

REFUSALS: Final = (ConfigError,)
"""The errors of a file that cannot be used; each lists every fault."""

_REVISION_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The settings, and a hash of them."""

    settings: LookoutSettings
    revision: str


LookoutFiles = ConfigurationFiles[LookoutSettings, Configuration]


def configuration_files(
    file: Path | None, environ: Mapping[str, str], overrides: Mapping[str, str | None] | None = None
) -> LookoutFiles:
    """The file of a configuration, if there is one: settings of this process name no others."""
    return ConfigurationFiles(
        file=file,
        load=partial(load, LookoutSettings, file, environ, overrides),
        named=lambda _: (),
        compiled=_compiled,
        refusals=REFUSALS,
    )


def _compiled(settings: LookoutSettings, _: Digests) -> Configuration:
    revision = hashlib.sha256(repr(settings).encode()).hexdigest()[:_REVISION_LENGTH]
    return Configuration(settings=settings, revision=revision)


def reloader(
    reading: Reading[Configuration], files: LookoutFiles, *, use: Callable[[Configuration], None]
) -> Reloader[Configuration]:
    """Makes a changed file take effect: hands a good new configuration to ``use``."""
    return Reloader(reading, files, _RELOADABLE, use=use)


def _described(before: Configuration, after: Configuration) -> Mapping[str, object]:
    return {"revision": after.revision, "revision_before": before.revision}


_RELOADABLE: Final = Reloadable(what="files", metric=metrics.SETTINGS, described=_described)
