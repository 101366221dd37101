"""Retry policies, and scenarios of failures, as commands read them from files."""

from collections.abc import Sequence
from pathlib import Path

from agent.console.exits import UsageError
from agent.console.inputs import inputs
from agent.core.decision.scenario import Scenario
from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.core.retry.policy import RetryPolicy
from agent.ctl.files import loaded
from agent.manifests.retry.load import load_retry_policies
from agent.manifests.retry.scenario import load_scenarios


def read_policies(files: Sequence[str | Path]) -> dict[str, CompiledPolicy]:
    """The policies of files and folders by name, each file holding one or more, in the order given.

    Raises UsageError with every fault, for a name given twice, and where dialects that count differently are mixed.
    """
    policies: dict[str, CompiledPolicy] = {}
    for file in inputs(files):
        for policy in _load(file.text(), file.name):
            if policy.name in policies:
                raise UsageError(f"{file.name}: policy {policy.name} is given twice; rename one, or leave one file out")
            policies[policy.name] = compile_policy(policy)
    dialects = {compiled.policy.dialect.name for compiled in policies.values()}
    if len(dialects) > 1:
        names = " and ".join(sorted(dialects))
        raise UsageError(f"policies of {names} count retries differently; use only policies of one dialect together")
    return policies


def _load(text: str, name: str) -> Sequence[RetryPolicy]:
    """The policies of a file. Raises UsageError, in one line for a file of another kind."""
    try:
        return loaded(text, name, load_retry_policies)
    except UsageError:
        from agent.ctl.file_kinds import POLICIES, refuse_other  # noqa: PLC0415 - imports all kinds, for a wrong file

        refuse_other(text, name, wanted=POLICIES)
        raise


def read_scenarios(files: Sequence[str | Path]) -> tuple[Scenario, ...]:
    """The scenarios of files and folders. Raises UsageError with every fault of one."""
    return tuple(scenario for file in inputs(files) for scenario in loaded(file.text(), file.name, load_scenarios))
