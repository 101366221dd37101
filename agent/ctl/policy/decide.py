"""``failctl decide``: the verdicts on a series of failures, without a cluster."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import msgspec

from agent.console.errors import report_error
from agent.console.exits import Exit
from agent.console.options import Form
from agent.console.terminal import visible
from agent.core.decision.explanation_text import headline, whole
from agent.core.decision.scenario import Played, Scenario, play
from agent.ctl.policy_file import read_policies, read_scenarios


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideRequest:
    """The request. ``queue`` and ``annotation`` override the scenario; ``None``: not given."""

    scenarios: Sequence[str | Path]
    policies: tuple[Path, ...]
    queue: tuple[str, ...] | None = None
    annotation: tuple[str, ...] | None = None
    output: Form = "table"
    details: bool = False


def run(request: DecideRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Print the verdicts of every scenario. Raises UsageError for files that cannot be used."""
    policies = read_policies(request.policies)
    scenarios = [_as_asked(scenario, request) for scenario in read_scenarios(request.scenarios)]
    named = dict.fromkeys(
        name for scenario in scenarios for name in (*(scenario.queue or ()), *(scenario.annotation or ()))
    )
    for name in [name for name in named if name not in policies]:
        report_error(err, f"no file has a policy {visible(name)}; it is skipped, as the scheduler would skip it")
    played = [(scenario, list(play(scenario, policies))) for scenario in scenarios]
    if request.output == "json":
        json.dump([document(scenario, result) for scenario, verdicts in played for result in verdicts], out, indent=2)
        out.write("\n")
    else:
        out.writelines(f"{line}\n" for line in _table(played, in_full=request.details))
    return Exit.FINE


def _as_asked(scenario: Scenario, request: DecideRequest) -> Scenario:
    """The scenario, with policies from the command line if given."""
    queue = scenario.queue if request.queue is None else request.queue
    annotation = scenario.annotation if request.annotation is None else request.annotation
    return replace(scenario, queue=queue, annotation=annotation)


def _table(played: Sequence[tuple[Scenario, Sequence[Played]]], *, in_full: bool) -> Iterator[str]:
    for scenario, verdicts in played:
        yield f"scenario {visible(scenario.name)}"
        for number, result in enumerate(verdicts, start=1):
            explanation = result.verdict.explanation
            lines = whole(explanation) if in_full else (headline(explanation),)
            yield f"  {number}. {visible(lines[0])}"
            for line in lines[1:]:
                yield f"       {visible(line)}"


def document(scenario: Scenario, played: Played) -> dict[str, Any]:
    """One verdict as plain data, for programs."""
    verdict = played.verdict
    return {
        "scenario": scenario.name,
        "failure": played.step,
        "round": played.round,
        "action": verdict.action.value,
        "reason": verdict.reason.value,
        "policy": verdict.policy,
        "ruleKey": verdict.rule_key,
        "delaySeconds": verdict.delay.total_seconds(),
        "avoidNodes": list(verdict.avoid_nodes),
        "summary": headline(verdict.explanation),
        "differs": list(played.differs),
        "explanation": msgspec.to_builtins(verdict.explanation),
    }
