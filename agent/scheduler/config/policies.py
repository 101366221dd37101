"""Retry policies from files, and the one that always exists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.policy import DEFAULT_POLICY
from agent.documents.source import read_file
from agent.manifests.retry.load import load_retry_policy
from agent.settings.fault import ConfigError, SettingFault

DEFAULT_TEXT: Final = f"""\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata:
  name: {DEFAULT_POLICY}
spec:
  defaultAction: Fail
  rules: []
"""
"""The policy ``default`` until somebody changes it (armadaproject/armada#4683, "Default Action")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPolicy:
    """A policy that the store does not have, its text, and its file; no file is named for one that is built in."""

    policy: CompiledPolicy
    text: str
    file: str = ""


def built_in() -> Mapping[str, WrittenPolicy]:
    """The policies that exist without anybody having written them."""
    policy = compile_policy(load_retry_policy(DEFAULT_TEXT, file=DEFAULT_POLICY))
    return {DEFAULT_POLICY: WrittenPolicy(policy=policy, text=DEFAULT_TEXT)}


def read_policies(files: Sequence[Path]) -> dict[str, WrittenPolicy]:
    """Policies of files by name.

    Raises ConfigError for a file that cannot be read and for a name given twice; ManifestError, with every fault, for a
    file that is not a retry policy.
    """
    policies: dict[str, WrittenPolicy] = {}
    for number, file in enumerate(files):
        text = _read(file, f"policies[{number}]")
        policy = load_retry_policy(text, file=str(file))
        if policy.name in policies:
            raise ConfigError(_fault(file, f"policies[{number}]", f"another file has a policy {policy.name!r} already"))
        policies[policy.name] = WrittenPolicy(policy=compile_policy(policy), text=text.decode(), file=str(file))
    return policies


def _read(file: Path, path: str) -> bytes:
    try:
        return read_file(file)
    except OSError as error:
        raise ConfigError(_fault(file, path, f"cannot be read: {error.strerror}")) from error


def _fault(file: Path, path: str, message: str) -> SettingFault:
    return SettingFault(place=str(file), path=path, message=message)
