"""Configuration: settings and rules from their files, read at the start and again when they change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from agent.cluster.config.rules import RulesInForce, read_rules, rules_file
from agent.documents.problem import ManifestError
from agent.process.configuration import ConfigurationFiles
from agent.process.reloader import Reloadable, Reloader, changed
from agent.process.reloading import Digests, Reading
from agent.rule_files import files_of
from agent.settings.cluster import ClusterSettings
from agent.settings.effect import Applies
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.telemetry import configuration_metrics as metrics

REFUSALS: Final = (ConfigError, ManifestError)
"""What unusable files raise, with every fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings, and the rules read and compiled from the files they name."""

    settings: ClusterSettings
    rules: RulesInForce

    @property
    def revision(self) -> str:
        return self.rules.revision


ClusterFiles = ConfigurationFiles[ClusterSettings, Configuration]


def configuration_files(
    file: Path | None, environ: Mapping[str, str], overrides: Mapping[str, str | None] | None = None
) -> ClusterFiles:
    """The files of a configuration: the settings', if there is one, and the rules they name."""
    return ConfigurationFiles(
        file=file,
        load=partial(load, ClusterSettings, file, environ, overrides),
        named=lambda settings: files_of(rules_file(settings)),
        compiled=_compiled,
        refusals=REFUSALS,
    )


def _compiled(settings: ClusterSettings, files: Digests, *, running: ClusterSettings | None = None) -> Configuration:
    """Read the rules, and check them against the events that ``running`` watches: settings in force until a restart."""
    del files  # the revision is of what they mean
    watched = (running or settings).watch.event_types
    rules = read_rules(rules_file(settings), settings.redaction, event_types=watched)
    return Configuration(settings=settings, rules=rules)


def reloader(
    reading: Reading[Configuration], files: ClusterFiles, *, use: Callable[[Configuration], None]
) -> Reloader[Configuration]:
    """Makes changed files take effect: hands a good new configuration to ``use``."""
    compiled = replace(files, compiled=partial(_compiled, running=reading.value.settings))
    return Reloader(reading, compiled, _RELOADABLE, use=use)


def _described(before: Configuration, after: Configuration) -> Mapping[str, object]:
    return {
        "changed": changed(before.settings, after.settings, applies=Applies.AT_ONCE),
        "rules": after.revision,
        "rules_before": before.revision,
        "count": after.rules.count,
        "count_before": before.rules.count,
    }


_RELOADABLE: Final = Reloadable(what="rules", metric=metrics.RULES, described=_described)
