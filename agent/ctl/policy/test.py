"""``failctl policy test``: runs scenarios against policies, and reports differences and coverage."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from agent.console.exits import Exit
from agent.console.options import Form
from agent.console.terminal import visible
from agent.core.decision.coverage import RuleCoverage, UnusedRule, coverage_of
from agent.core.decision.explanation_text import headline
from agent.core.decision.scenario import Played, Scenario, play
from agent.ctl.policy.decide import document
from agent.ctl.policy_file import read_policies, read_scenarios


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTestRequest:
    """The request; ``fail_under`` is the share of rules, in percent, that must have decided."""

    scenarios: Sequence[str | Path]
    policies: tuple[Path, ...]
    output: Form = "table"
    coverage: bool = False
    fail_under: float | None = None


def run(request: PolicyTestRequest, *, out: TextIO) -> Exit:
    """Print what differs, and the tally. Raises UsageError for files that cannot be used."""
    policies = read_policies(request.policies)
    played = [
        (scenario, result) for scenario in read_scenarios(request.scenarios) for result in play(scenario, policies)
    ]
    coverage = coverage_of(policies, [result for _, result in played])
    differs = [(scenario, result) for scenario, result in played if result.differs]
    if request.output == "json":
        verdicts = [document(scenario, result) for scenario, result in played]
        json.dump({"verdicts": verdicts, "coverage": _document(coverage)}, out, indent=2)
        out.write("\n")
    else:
        _print(differs, len(played), out)
        if request.coverage or request.fail_under is not None:
            _print_coverage(coverage, out)
    short = request.fail_under is not None and coverage.percent < request.fail_under
    return Exit.FINDING if differs or short else Exit.FINE


def _print(differs: Sequence[tuple[Scenario, Played]], count: int, out: TextIO) -> None:
    for scenario, result in differs:
        times = f", round {result.round + 1}" if result.round else ""
        out.write(f"FAILED {visible(scenario.name)}: failure {result.step + 1}{times}\n")
        out.writelines(f"  {visible(line)}\n" for line in result.differs)
        out.write(f"  {visible(headline(result.verdict.explanation))}\n")
    out.write(f"{count - len(differs)} passed, {len(differs)} failed\n")


def _print_coverage(coverage: RuleCoverage, out: TextIO) -> None:
    every = coverage.used + len(coverage.unused)
    out.write(f"rules that decided: {coverage.used} of {every} ({coverage.percent:.0f} %)\n")
    out.writelines(f"  never: {visible(_never(unused_rule))}\n" for unused_rule in coverage.unused)


def _never(unused: UnusedRule) -> str:
    rule = unused.rule
    return f"policy {rule.policy}, rule {rule.number} {rule.label}: {unused.why}"


def _document(coverage: RuleCoverage) -> dict[str, Any]:
    unused = [
        {
            "policy": unused_rule.rule.policy,
            "number": unused_rule.rule.number,
            "label": unused_rule.rule.label,
            "rule": unused_rule.rule.words,
            "why": unused_rule.why,
        }
        for unused_rule in coverage.unused
    ]
    return {"percent": coverage.percent, "unused": unused}
