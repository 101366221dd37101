"""Asks the API of the scheduler which of its policies apply, and what they decide."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TextIO

from agent.api.v1 import records_pb2 as pb
from agent.client.records import connect
from agent.console.exits import Exit, UsageError
from agent.console.inputs import inputs
from agent.console.terminal import visible
from agent.core.decision.explanation import Explanation
from agent.core.decision.explanation_text import headline, whole
from agent.ctl.api import translated
from agent.ctl.asked import Asked
from agent.ctl.files import loaded
from agent.ctl.naming import find_one
from agent.ctl.policy.decide import DecideRequest
from agent.ctl.reading import open_reading
from agent.ctl.server import DEFAULT, ServerChoice, user
from agent.manifests.retry.scenario import load_scenarios
from agent.store.records.port import Kind
from agent.wire.values import from_struct


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveRequest:
    """A job, by any of its names, or a queue; and the value of the annotation."""

    job: str | None = None
    queue: str | None = None
    annotation: str = ""


def decide_there(request: DecideRequest, choice: ServerChoice, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """Print the verdicts that the scheduler's policies give. Raises the errors of ``failctl``."""
    if request.queue is not None or request.annotation is not None:
        raise UsageError("--queue-policies and --annotation go with --policies; a scenario names policies itself")
    texts = []
    for file in inputs(request.scenarios):
        text = file.text()
        loaded(text, file.name, load_scenarios)
        texts.append(text)
    with translated(), connect(choice.address(environ) or DEFAULT, who=user()) as client:
        verdicts = [verdict for text in texts for verdict in client.decide(text)]
        _print(verdicts, request, out)
    return Exit.FINE


def _print(verdicts: Sequence[pb.ScenarioVerdict], request: DecideRequest, out: TextIO) -> None:
    if request.output == "json":
        json.dump([_document(verdict) for verdict in verdicts], out, indent=2)
        out.write("\n")
        return
    for scenario, own in groupby(verdicts, key=lambda verdict: verdict.scenario):
        out.write(f"scenario {visible(scenario)}\n")
        for verdict in own:
            explanation = from_struct(verdict.explanation, Explanation)
            lines = whole(explanation) if request.details else (headline(explanation),)
            out.write(f"  {verdict.number}. {visible(lines[0])}\n")
            out.writelines(f"       {visible(row)}\n" for row in lines[1:])


def _document(verdict: pb.ScenarioVerdict) -> Mapping[str, object]:
    explanation = from_struct(verdict.explanation, Explanation)
    return {
        "scenario": verdict.scenario,
        "number": verdict.number,
        "action": explanation.action.value,
        "reason": explanation.reason.value,
        "summary": headline(explanation),
    }


def show_effective(
    request: EffectiveRequest, choice: ServerChoice, *, environ: Mapping[str, str], now: datetime, out: TextIO
) -> Exit:
    """Print the policies in effect, in order. Raises the errors of ``failctl``."""
    if (request.job is None) == (request.queue is None):
        raise UsageError("of what? name a job, or --queue NAME")
    there = choice.address(environ) or DEFAULT
    job_id = "" if request.job is None else _job(request.job, there, environ, now=now)
    with translated(), connect(there, who=user()) as client:
        found = client.effective(queue=request.queue or "", annotation=request.annotation, job_id=job_id)
    for policy in found.policies:
        version = f" version {policy.version}" if policy.version else ""
        out.write(f"{visible(policy.name)}{version}\n")
    out.writelines(f"{visible(note)}\n" for note in found.notes)
    if not found.policies:
        out.write("No policy is in effect: a run is retried only if its cluster returned it.\n")
    return Exit.FINE


def _job(name: str, there: str, environ: Mapping[str, str], *, now: datetime) -> str:
    with open_reading(Asked(server=there), environ) as reading:
        found = find_one(reading.records, name, now=now)
        return found.id if found.kind is Kind.JOB else reading.timeline(found, newest=1, now=now).job_id
