"""Retry policies and scenarios as commands read them from files."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from agent.core.decision.scenario import Scenario
from agent.core.retry.compiled import CompiledPolicy, compile_policy
from agent.ctl.console.exits import UsageError
from agent.ctl.console.text_input import read_text
from agent.documents.problem import ManifestError, render
from agent.manifests.retry.load import load_retry_policies
from agent.manifests.retry.scenario import load_scenarios

Read = TypeVar("Read")


def read_policies(files: Sequence[Path]) -> dict[str, CompiledPolicy]:
    """The policies of the files by name, each file holding one or more, in the order given.

    Raises UsageError with every fault, for a name given twice, and where dialects that count differently are mixed.
    """
    policies: dict[str, CompiledPolicy] = {}
    for file in files:
        for policy in _read(file, load_retry_policies):
            if policy.name in policies:
                raise UsageError(f"{file}: policy {policy.name} is given twice; rename one, or leave one file out")
            policies[policy.name] = compile_policy(policy)
    dialects = {one.policy.dialect.name for one in policies.values()}
    if len(dialects) > 1:
        names = " and ".join(sorted(dialects))
        raise UsageError(f"policies of {names} count retries differently; use only policies of one dialect together")
    return policies


def read_scenarios(file: Path) -> tuple[Scenario, ...]:
    """The scenarios of a file. Raises UsageError with every fault."""
    return tuple(_read(file, load_scenarios))


def missing_policies(scenario: Scenario, policies: Mapping[str, CompiledPolicy]) -> Iterator[str]:
    """Return the policies that a scenario names and no file has."""
    return (name for name in (*scenario.queue, *scenario.annotation) if name not in policies)


def _read(file: Path, load: Callable[..., Sequence[Read]]) -> Sequence[Read]:
    name, text = read_text(file, sys.stdin.buffer)
    try:
        return load(text, file=name)
    except ManifestError as error:
        faults = "\n".join(render(problem) for problem in error.problems)
        raise UsageError(f"{name} cannot be used:\n{faults}") from error
