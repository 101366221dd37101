"""``failctl jobset simulate``: what a JobSet would do with these pods, step by step, without a cluster."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TextIO

import msgspec

from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.console.terminal import visible
from agent.core.job.effects import RequeueAfter
from agent.core.job.outcome import PodEnding
from agent.core.jobset.decide import explain
from agent.core.jobset.effects import CreateJob, DeleteJob, DeleteJobSet, Effect, SetSuspended
from agent.core.jobset.gates import Gates
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.play import JobSetPlay, JobSetTurn
from agent.core.jobset.simulated import JobSetOutcome, JobSetScene, SimulatedJobSet
from agent.ctl.files import load_file
from agent.ctl.job.marks import load_marks, mark_lines
from agent.manifests.jobset.load import load_jobset
from agent.manifests.jobset.outcomes import load_jobset_outcomes

STARTS_AT = datetime(2026, 1, 1, tzinfo=UTC)
MOST_DRAWN = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetRequest:
    """The request: a JobSet, its gates, outcomes from a file or a seed, and rules as for a Job."""

    jobset: Path
    pods: Path | None = None
    seed: int | None = None
    rules: Path | None = None
    gates: Gates
    output: Form = "table"


def run(request: JobSetRequest, *, out: TextIO) -> Exit:
    """Simulate a JobSet and print its steps. Raises UsageError for files that cannot be used."""
    if (request.pods is None) == (request.seed is None):
        raise UsageError("give either --pods FILE or --random SEED")
    jobset = _jobset(request)
    marks = load_marks(request.rules, [job.spec.pod_failure_policy for job in jobset.jobs.values()])
    simulated = SimulatedJobSet(play=JobSetPlay(jobset=jobset, now=STARTS_AT), marks=marks)
    scenes = _scenes(request, simulated)
    if request.output == "json":
        json.dump([_document(scene) for scene in scenes], out, indent=2, default=str)
        out.write("\n")
        return Exit.FINE
    for scene in scenes:
        out.writelines(f"{visible(line)}\n" for line in _lines(scene))
    out.writelines(f"{visible(line)}\n" for line in _end(simulated))
    return Exit.FINE


def _jobset(request: JobSetRequest) -> JobSet:
    return load_file(request.jobset, partial(load_jobset, gates=request.gates))


def _scenes(request: JobSetRequest, simulated: SimulatedJobSet) -> Iterator[JobSetScene]:
    yield simulated.begin()
    chance = Random(request.seed)  # noqa: S311 - chance for a play, no secret
    outcomes = _drawn(chance, simulated) if request.pods is None else _written(request.pods)
    for outcome in outcomes:
        yield simulated.apply_outcome(outcome)


def _written(file: Path) -> Iterator[JobSetOutcome]:
    yield from load_file(file, load_jobset_outcomes)


def _drawn(chance: Random, simulated: SimulatedJobSet) -> Iterator[JobSetOutcome]:
    """Draw outcomes until the JobSet ends."""
    for _ in range(MOST_DRAWN):
        if simulated.play.status.finished is not None:
            return
        living = [pod for job in simulated.jobs.values() for pod in job.living()]
        failed = chance.random() < 1 / (2 + len(living))
        code = chance.choice((1, 42, 137, 143)) if failed else 0
        names = sorted({job.replicated_job or "" for job in simulated.play.children.values()})
        yield JobSetOutcome(pod=PodEnding(exit_code=code), replicated_job=chance.choice(names) if failed else None)
    raise UsageError(f"the JobSet has not ended after {MOST_DRAWN} outcomes; try another seed")


def _lines(scene: JobSetScene) -> Iterator[str]:
    yield _what(scene)
    yield from mark_lines(scene.marks)
    for turn in scene.turns:
        step = turn.step
        lines = [
            *_effects(step.effects),
            *(f"event {event.type} {event.reason}: {event.message}" for event in step.events),
        ]
        if step.verdict is not None:
            lines = [*explain(step.verdict), *lines]
        if lines:
            yield f"  +{(turn.at - STARTS_AT).total_seconds():g} s"
            yield from (f"      {line}" for line in lines)


def _what(scene: JobSetScene) -> str:
    if scene.outcome is None:
        return "start"
    pod = scene.outcome.pod
    ended = pod.text()
    if not scene.pods:
        return f"{ended}: no such live pod"
    more = f" and {len(scene.pods) - 1} more" if len(scene.pods) > 1 else ""
    return f"{ended}: {scene.pods[0]}{more}"


def _effects(effects: tuple[Effect, ...]) -> Iterator[str]:
    """The effects, those of a kind on one line."""
    lines = Counter(_effect(effect) for effect in effects)
    for (what, name), count in lines.items():
        yield f"{what} {name}" if count == 1 else f"{what} {name} ({count} Jobs)"


def _effect(effect: Effect) -> tuple[str, str]:
    """What is done, and to what: Jobs by the name of all of their replicated job."""
    match effect:
        case CreateJob():
            return "make", f"{effect.name.rpartition('-')[0]}-*"
        case DeleteJob():
            return "delete", f"{effect.name.rpartition('-')[0]}-*"
        case SetSuspended(suspended=suspended):
            return "suspend" if suspended else "resume", f"{effect.name.rpartition('-')[0]}-*"
        case DeleteJobSet():
            return "delete", "the JobSet"
        case RequeueAfter(after=after):
            return "look again after", f"{after.total_seconds():g} s"


def _end(simulated: SimulatedJobSet) -> Iterator[str]:
    status = simulated.play.status
    over = status.finished
    yield f"end: {over.type}: {over.reason}: {over.message}" if over else "end: the JobSet continues"
    yield f"restarts: {status.restarts}, of which {status.restarts_counted} count towards maxRestarts"
    for replicated_job in status.replicated_jobs:
        alone = [f"{index}: {count}" for index, count in enumerate(replicated_job.job_restarts or ()) if count]
        if alone:
            yield f"  {replicated_job.name}, Jobs restarted alone: {', '.join(alone)}"


def _document(scene: JobSetScene) -> dict[str, Any]:
    """One scene as plain data, for programs."""
    turns = [_turn(turn) for turn in scene.turns if turn.step.effects or turn.step.events or turn.step.verdict]
    outcome = None if scene.outcome is None else msgspec.to_builtins(scene.outcome)
    marks = msgspec.to_builtins(scene.marks)
    return {"outcome": outcome, "pods": list(scene.pods), "marks": marks, "turns": turns}


def _turn(turn: JobSetTurn) -> dict[str, Any]:
    step = turn.step
    return {
        "at": turn.at.isoformat(),
        "status": msgspec.to_builtins(step.status),
        "effects": [{"do": type(effect).__name__, **msgspec.to_builtins(effect)} for effect in step.effects],
        "events": [msgspec.to_builtins(event) for event in step.events],
        "explanation": [] if step.verdict is None else list(explain(step.verdict)),
    }
