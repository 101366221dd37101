"""The configuration: settings and retry policies from files, read at start and again when they change."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Final

from agent.core.retry.effective import InEffect
from agent.documents.problem import ManifestError
from agent.scheduler.config.policies import default_policy, read_policies
from agent.scheduler.consume.batch import DecisionInputs
from agent.settings.fault import ConfigError
from agent.settings.reloading import Reading, changed, digests_of
from agent.settings.scheduler import SchedulerSettings

REFUSALS: Final = (ConfigError, ManifestError)
"""The errors of files that cannot be used; each lists every fault."""

_RELOADED: Final = ("policies", "retryPolicy", "maxAttemptedRuns", "terminationGracePeriod", "log")
"""Settings that take effect at once when they are changed; all others need a restart."""

_REVISION_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings, and the policies in effect. ``revision``: a hash of everything that decisions depend on."""

    settings: SchedulerSettings
    policies: InEffect
    revision: str

    def decision_inputs(self) -> DecisionInputs:
        return DecisionInputs(
            policies=self.policies,
            settings=self.settings.retrying(),
            grace_period=self.settings.termination_grace_period,
            draw=SystemRandom().random,
        )

    def names(self) -> list[str]:
        """The policies in effect, by name."""
        return [one.policy.name for one in self.policies.policies]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationFiles:
    """The files of a configuration. ``load`` reads the settings from ``file``, if there is one."""

    file: Path | None
    load: Callable[[], SchedulerSettings]

    def read(self) -> Reading[Configuration]:
        """Read all files. Raises ConfigError and ManifestError with every fault."""
        # The content is noted before it is parsed: a change in between is then found by the next look.
        seen = dict(digests_of([] if self.file is None else [self.file]))
        settings = self.load()
        files = digests_of(settings.policies)
        policies = default_policy(read_policies(settings.policies), default=settings.retry_policy.default_policy_name)
        revision = _revision([repr(settings.retrying()), repr(settings.termination_grace_period), *files.values()])
        found = Configuration(settings=settings, policies=policies, revision=revision)
        return Reading(value=found, seen={**seen, **files})


def changed_later(before: SchedulerSettings, after: SchedulerSettings) -> tuple[str, ...]:
    """The settings that differ and take effect only after a restart."""
    return tuple(name for name in changed(before, after) if name.split(".")[0] not in _RELOADED)


def _revision(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_REVISION_LENGTH]
