"""The retry policies in effect, read from files."""

from collections.abc import Sequence
from pathlib import Path

from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.effective import InEffect, resolve_policies
from agent.documents.source import read_file
from agent.manifests.retry.load import load_retry_policy
from agent.settings.fault import ConfigError, SettingFault

_SETTING = "retryPolicy.defaultPolicyName"


def read_policies(files: Sequence[Path]) -> dict[str, CompiledPolicy]:
    """Policies by name.

    Raises ConfigError for a file that cannot be read and for a name given twice; ManifestError, with every fault, for a
    file that is not a retry policy.
    """
    policies: dict[str, CompiledPolicy] = {}
    for number, file in enumerate(files):
        policy = load_retry_policy(_read(file, f"policies[{number}]"), file=str(file))
        if policy.name in policies:
            raise ConfigError(_fault(file, f"policies[{number}]", f"another file has a policy {policy.name!r} already"))
        policies[policy.name] = compile_policy(policy)
    return policies


def default_policy(policies: dict[str, CompiledPolicy], *, default: str | None) -> InEffect:
    """Put the default policy in effect for every job, or none if no default is named.

    Raises ConfigError if no file has the default that is named.
    """
    if default is None:
        return InEffect()
    if default not in policies:
        known = ", ".join(sorted(policies)) or "none"
        raise ConfigError(
            SettingFault(place="settings", path=_SETTING, message=f"no policy {default!r}; the files have: {known}")
        )
    return resolve_policies(policies, default=default)


def _read(file: Path, path: str) -> bytes:
    try:
        return read_file(file)
    except OSError as error:
        raise ConfigError(_fault(file, path, f"cannot be read: {error.strerror}")) from error


def _fault(file: Path, path: str, message: str) -> SettingFault:
    return SettingFault(place=str(file), path=path, message=message)
