"""The configuration: settings and retry policies from files, read at start and again when they change."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Final

from agent.core.retry.catalog import Catalog
from agent.documents.problem import ManifestError
from agent.process.configuration import ConfigurationFiles
from agent.process.reloader import Reloadable, Reloader
from agent.process.reloading import Digests, Reading
from agent.scheduler.config.policies import WrittenPolicy, built_in, read_policies
from agent.scheduler.config.stored import NOTHING_STORED, StoredResources
from agent.scheduler.consume.batch import DecisionInputs
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings
from agent.telemetry import configuration_metrics as metrics

REFUSALS: Final = (ConfigError, ManifestError)
"""The errors of files that cannot be used; each lists every fault."""

_REVISION_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings, and the policies of files and the built-in ones, by name.

    ``revision``: a hash of all that decisions take from files.
    """

    settings: SchedulerSettings
    policies: Mapping[str, WrittenPolicy]
    revision: str

    def decision_inputs(self, stored: StoredResources = NOTHING_STORED) -> DecisionInputs:
        """What decisions depend on, together with what the store has; a policy that both have is the file's."""
        catalog = Catalog(
            {
                **{name: written.policy for name, written in self.policies.items() if not written.file},
                **stored.policies,
                **{name: written.policy for name, written in self.policies.items() if written.file},
            },
            queues=stored.queues,
            default=self.settings.scheduling.retry_policy.default_policy_name,
        )
        return DecisionInputs(
            catalog=catalog,
            settings=self.settings.retrying(),
            grace_period=self.settings.termination_grace_period,
            draw=SystemRandom().random,
        )

    def names(self) -> list[str]:
        """The policies that files have."""
        return sorted(name for name, written in self.policies.items() if written.file)


SchedulerFiles = ConfigurationFiles[SchedulerSettings, Configuration]


def configuration_files(
    file: Path | None, environ: Mapping[str, str], overrides: Mapping[str, str | None] | None = None
) -> SchedulerFiles:
    """The files of a configuration: the settings', if there is one, and the policies they name."""
    return ConfigurationFiles(
        file=file,
        load=partial(load, SchedulerSettings, file, environ, overrides),
        named=lambda settings: settings.policies,
        compiled=_compiled,
        refusals=REFUSALS,
    )


def _compiled(settings: SchedulerSettings, files: Digests) -> Configuration:
    policies = {**built_in(), **read_policies(settings.policies)}
    revision = _revision([repr(settings.retrying()), repr(settings.termination_grace_period), *files.values()])
    return Configuration(settings=settings, policies=policies, revision=revision)


def _revision(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_REVISION_LENGTH]


def reloader(
    reading: Reading[Configuration], files: SchedulerFiles, *, use: Callable[[Configuration], None]
) -> Reloader[Configuration]:
    """Makes changed files take effect: hands a good new configuration to ``use``."""
    return Reloader(reading, files, _RELOADABLE, use=use)


def _described(before: Configuration, after: Configuration) -> Mapping[str, object]:
    return {"policies": after.names(), "revision": after.revision, "revision_before": before.revision}


_RELOADABLE: Final = Reloadable(what="policies", metric=metrics.POLICIES, described=_described)
