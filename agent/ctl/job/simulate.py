"""``failctl job simulate``: what a Job would do with these pods, step by step, without a cluster."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, TextIO

import msgspec

from agent.console.columns import Column, line
from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.console.terminal import visible
from agent.core.job.counters import open_job
from agent.core.job.effects import CreatePod, DeletePod, Effect, ReleasePod, RequeueAfter
from agent.core.job.limits import expires_at
from agent.core.job.manifest import JobManifest
from agent.core.job.outcome import PodEnding, Scene, apply_outcome, begin, grid
from agent.core.job.play import Play, Turn
from agent.ctl.files import load_file
from agent.ctl.job.marks import load_marks, mark_lines
from agent.manifests.job.load import load_job
from agent.manifests.job.outcomes import load_outcomes

STARTS_AT = datetime(2026, 1, 1, tzinfo=UTC)
MOST_DRAWN = 100_000
_WIDEST_GRID = 2_000
_ROW = 50
_GRID = (Column(width=6, right=True), Column())


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """The request: a Job, outcomes from a file or a seed, and the rules by which failed pods get our conditions."""

    job: Path
    pods: Path | None = None
    seed: int | None = None
    rules: Path | None = None
    output: Form = "table"


def run(request: JobRequest, *, out: TextIO) -> Exit:
    """Simulate a Job and print its steps. Raises UsageError for files that cannot be used."""
    if (request.pods is None) == (request.seed is None):
        raise UsageError("give either --pods FILE or --random SEED")
    job, play = _start(request)
    scenes = _scenes(request, job, play)
    if request.output == "json":
        document = {"scenes": [_document(scene) for scene in scenes], "end": _end_document(job, play)}
        json.dump(document, out, indent=2, default=str)
        out.write("\n")
        return Exit.FINE
    for scene in scenes:
        out.writelines(f"{visible(row)}\n" for row in _lines(scene))
    out.writelines(f"{visible(row)}\n" for row in _end(job, play))
    return Exit.FINE


def _start(request: JobRequest) -> tuple[JobManifest, Play]:
    job = load_file(request.job, load_job)
    counters = open_job(job.spec, choices=job.choices)
    marks = load_marks(request.rules, [job.spec.pod_failure_policy])()
    return job, Play(counters=counters, name=job.name, namespace=job.namespace, now=STARTS_AT, marks=marks)


def _scenes(request: JobRequest, job: JobManifest, play: Play) -> Iterator[Scene]:
    yield begin(play)
    outcomes = _drawn(Random(request.seed), play) if request.pods is None else _written(request.pods)  # noqa: S311 - chance for a play, no secret
    for outcome in outcomes:
        yield apply_outcome(play, outcome, job.rules)


def _written(file: Path) -> Iterator[PodEnding]:
    yield from load_file(file, load_outcomes)


def _drawn(chance: Random, play: Play) -> Iterator[PodEnding]:
    """Draw outcomes until the Job ends, or nothing can happen any more."""
    for _ in range(MOST_DRAWN):
        living = play.living()
        if play.counters.status.finished is not None or not (living or play.wait):
            return
        index = chance.choice(living).index if living else None
        kind = chance.random()
        if kind < 0.5:  # noqa: PLR2004 - one half succeeds
            yield PodEnding(index=index)
        elif kind < 0.65:  # noqa: PLR2004 - some are disrupted
            yield PodEnding(index=index, exit_code=143, conditions=("DisruptionTarget",))
        else:
            yield PodEnding(index=index, exit_code=chance.choice((1, 2, 42, 137)))
    raise UsageError(f"the Job has not ended after {MOST_DRAWN} outcomes; try another seed")


def _lines(scene: Scene) -> Iterator[str]:
    yield (
        "start" if scene.outcome is None else f"{_what(scene.outcome)}: {', '.join(scene.pods) or 'no such live pod'}"
    )
    yield from mark_lines(scene.marks)
    for turn in scene.turns:
        if turn.delta.changed or turn.effects:
            yield f"  +{_seconds(turn)} s  {_counts(turn)}"
            yield from (f"      {_effect(effect)}" for effect in _summed(turn.effects))
    for condition in scene.turns[-1].delta.conditions if scene.turns else ():
        if condition.status == "True":
            yield f"  {condition.type}: {condition.reason}: {condition.message}"


def _what(outcome: PodEnding) -> str:
    ended = outcome.text()
    return ended if outcome.index is None else f"index {outcome.index}, {ended}"


def _seconds(turn: Turn) -> str:
    return f"{(turn.at - STARTS_AT).total_seconds():g}"


def _counts(turn: Turn) -> str:
    delta = turn.delta
    counts = f"active {delta.active}, succeeded {delta.succeeded}, failed {delta.failed}"
    return f"{counts}, terminating {delta.terminating}" if delta.terminating else counts


def _summed(effects: tuple[Effect, ...]) -> Iterator[Effect | str]:
    nameless = sum(isinstance(effect, CreatePod) and effect.index is None for effect in effects)
    if nameless:
        yield f"make {nameless} {'pod' if nameless == 1 else 'pods'}"
    yield from (effect for effect in effects if not (isinstance(effect, CreatePod) and effect.index is None))


def _effect(effect: Effect | str) -> str:
    match effect:
        case str():
            return effect
        case CreatePod(index=index, counts=counts):
            before = "" if not counts or not any(counts) else f" (failures {counts[0]}, ignored {counts[1]})"
            return f"make a pod for index {index}{before}"
        case DeletePod(uid=uid):
            return f"delete {uid}"
        case ReleasePod(uid=uid):
            return f"release {uid}"
        case RequeueAfter(after=after):
            return f"look again after {after.total_seconds():g} s"


def _end(job: JobManifest, play: Play) -> Iterator[str]:
    status = play.counters.report()
    finished = status.finished
    yield f"end: {finished.type}: {finished.reason}: {finished.message}" if finished else "end: the Job continues"
    if job.spec.indexed:
        yield f"succeeded indexes: {status.completed_indexes or '-'}; failed: {status.failed_indexes or '-'}"
        shown = grid(play.counters) if (job.spec.completions or 0) <= _WIDEST_GRID else ""
        if not shown:
            yield f"{job.spec.completions} indexes: too many to draw"
        starts = range(0, len(shown), _ROW)
        yield from (line((str(at), shown[at : at + _ROW]), _GRID, indent=2, gap=1) for at in starts)
    expires = expires_at(job.spec, status)
    if expires is not None:
        yield f"deleted at +{(expires - STARTS_AT).total_seconds():g} s"


def _document(scene: Scene) -> dict[str, Any]:
    """One scene as plain data, for programs."""
    turns = [
        {
            "at": turn.at.isoformat(),
            "delta": msgspec.to_builtins(turn.delta),
            "effects": [{"do": type(effect).__name__, **msgspec.to_builtins(effect)} for effect in turn.effects],
        }
        for turn in scene.turns
        if turn.delta.changed or turn.effects
    ]
    return {
        "outcome": msgspec.to_builtins(scene.outcome),
        "pods": list(scene.pods),
        "marks": msgspec.to_builtins(scene.marks),
        "turns": turns,
    }


def _end_document(job: JobManifest, play: Play) -> dict[str, Any]:
    """The final state of the Job, as plain data."""
    status = play.counters.report()
    expires = expires_at(job.spec, status)
    return {
        "status": msgspec.to_builtins(status),
        "grid": grid(play.counters) if job.spec.indexed else None,
        "deletedAt": None if expires is None else expires.isoformat(),
    }
