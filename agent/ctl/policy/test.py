"""``failctl policy test``: scenarios against policies, expected against got, and how many rules were tried."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from agent.console.exits import Exit
from agent.console.options import Form
from agent.console.terminal import visible
from agent.core.decision.explanation_text import headline
from agent.core.decision.scenario import Played, Scenario, play
from agent.core.retry.compiled import CompiledPolicy
from agent.ctl.policy.decide import document
from agent.ctl.policy.files import read_policies, read_scenarios


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTestRequest:
    """What was asked; ``fail_under`` is the share of rules, in percent, that must have spoken."""

    scenarios: Sequence[str | Path]
    policies: tuple[Path, ...]
    output: Form = "table"
    coverage: bool = False
    fail_under: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which rules, of all that were read, spoke at least once; the default action of a policy counts as one."""

    spoke: frozenset[str]
    silent: tuple[str, ...]

    @property
    def percent(self) -> float:
        """The share that spoke; without rules nothing is left to try."""
        every = len(self.spoke) + len(self.silent)
        return 100.0 if not every else 100.0 * len(self.spoke) / every


def run(request: PolicyTestRequest, *, out: TextIO) -> Exit:
    """Print what differs, and the tally. Raises UsageError for files that cannot be used."""
    policies = read_policies(request.policies)
    played = [(scenario, one) for scenario in read_scenarios(request.scenarios) for one in play(scenario, policies)]
    coverage = _coverage(policies, [one for _, one in played])
    differs = [(scenario, one) for scenario, one in played if one.differs]
    if request.output == "json":
        verdicts = [document(scenario, one) for scenario, one in played]
        covered = {"percent": coverage.percent, "silent": list(coverage.silent)}
        json.dump({"verdicts": verdicts, "coverage": covered}, out, indent=2)
        out.write("\n")
    else:
        _print(differs, len(played), out)
        if request.coverage or request.fail_under is not None:
            _print_coverage(coverage, out)
    short = request.fail_under is not None and coverage.percent < request.fail_under
    return Exit.FINDING if differs or short else Exit.FINE


def _coverage(policies: Mapping[str, CompiledPolicy], played: Sequence[Played]) -> Coverage:
    keys = {rule.key: f"{name}: {rule.words}" for name, one in policies.items() for rule in one.rules}
    explanations = [one.verdict.explanation for one in played]
    spoke = {one.spoke.key for one in explanations if one.spoke is not None}
    spoke |= {one.shadow.spoke.key for one in explanations if one.shadow is not None}
    silent = tuple(words for key, words in keys.items() if key not in spoke)
    return Coverage(spoke=frozenset(spoke & keys.keys()), silent=silent)


def _print(differs: Sequence[tuple[Scenario, Played]], count: int, out: TextIO) -> None:
    for scenario, one in differs:
        times = f", round {one.round + 1}" if one.round else ""
        out.write(f"FAILED {visible(scenario.name)}: failure {one.step + 1}{times}\n")
        out.writelines(f"  {visible(line)}\n" for line in one.differs)
        out.write(f"  {visible(headline(one.verdict.explanation))}\n")
    out.write(f"{count - len(differs)} as expected, {len(differs)} not\n")


def _print_coverage(coverage: Coverage, out: TextIO) -> None:
    every = len(coverage.spoke) + len(coverage.silent)
    out.write(f"rules that spoke: {len(coverage.spoke)} of {every} ({coverage.percent:.0f} %)\n")
    out.writelines(f"  never: {visible(words)}\n" for words in coverage.silent)
