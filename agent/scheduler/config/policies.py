"""The retry policies in effect, read from files."""

from collections.abc import Sequence
from pathlib import Path

from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.effective import InEffect, resolve_policies
from agent.manifests.retry.load import load_retry_policy
from agent.settings.fault import ConfigError, SettingFault

_SETTING = "retryPolicy.defaultPolicyName"


def read_policies(files: Sequence[Path]) -> dict[str, CompiledPolicy]:
    """Policies by name. Raises ConfigError for a file that cannot be read and a name given twice.

    Raises ManifestError for a file that is no retry policy, with every fault of it.
    """
    policies: dict[str, CompiledPolicy] = {}
    for number, file in enumerate(files):
        policy = load_retry_policy(_read(file, f"policies[{number}]"), file=str(file))
        if policy.name in policies:
            raise ConfigError(_fault(file, f"policies[{number}]", f"a policy {policy.name!r} is there already"))
        policies[policy.name] = compile_policy(policy)
    return policies


def default_policy(policies: dict[str, CompiledPolicy], *, default: str | None) -> InEffect:
    """The default policy, for every job; none where no default is named.

    Raises ConfigError where a default is named that no file has.
    """
    if default is None:
        return InEffect()
    if default not in policies:
        there = ", ".join(sorted(policies)) or "none"
        raise ConfigError(
            SettingFault(place="settings", path=_SETTING, message=f"no policy {default!r}; there are: {there}")
        )
    return resolve_policies(policies, default=default)


def _read(file: Path, path: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(_fault(file, path, f"cannot be read: {error.strerror}")) from error


def _fault(file: Path, path: str, message: str) -> SettingFault:
    return SettingFault(place=str(file), path=path, message=message)
