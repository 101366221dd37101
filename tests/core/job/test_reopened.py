"""Counters that were kept are those that would be made anew, from the status and the pods alone."""

import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agent.core.job.advance import advance
from agent.core.job.counters import Change, Counters, Gone, open_job
from agent.core.job.defaults import defaulted
from agent.core.job.effects import Effect
from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.manifest import AS_UPSTREAM, Choices
from agent.core.job.play import Play
from agent.core.job.pod import JobPod
from agent.core.job.reading import read_spec
from agent.core.job.status import JobStatus
from agent.core.job.validation_update import amend, validate_update
from tests.core.job.blows import may, struck_by
from tests.core.job.drawn import BLOWS, STEPS, Blow, Drawn, jobs, patch_of
from tests.simulator.api import Json

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GRACE = timedelta(seconds=30)

OTHERS = st.builds(Blow, st.sampled_from(("wait", "wait", "strip")), st.integers(0, 3))
SETS = st.lists(st.one_of(BLOWS, OTHERS), min_size=1, max_size=3, unique_by=lambda blow: blow.place)
COURSES = st.lists(
    st.one_of(STEPS, SETS, st.builds(list.__add__, STEPS.filter(lambda step: patch_of(step[0]) is not None), SETS)),
    min_size=1,
    max_size=8,
)
GATES = st.just(ALL_ON) | st.builds(Gates, **dict.fromkeys(Gates.__dataclass_fields__, st.booleans()))
CHOICES = st.just(AS_UPSTREAM) | st.builds(Choices, **dict.fromkeys(Choices.__dataclass_fields__, st.booleans()))

PER_INDEX = {"completionMode": "Indexed", "completions": 3, "parallelism": 3, "backoffLimitPerIndex": 2}
SUCCEEDS_WHILE_HELD = [[Blow("delete", 0)], [Blow("succeed", 0)], [Blow("exit", 1)]]
FREED_WHILE_HELD = [[Blow("exit", 0)], [Blow("strip", 0)]]
REPLACED_OTHERWISE = [[Blow("delete", 0), Blow("exit", 2)], [Blow("podReplacementPolicy", 0)], [Blow("wait", 3)]]


def spec_of(fields: Json) -> Json:
    return {**fields, "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}}


def changed(play: Play, blows: list[Blow]) -> dict[str, Change]:
    """What a set of blows makes of pods."""
    pods = sorted(play.counters.pods.values(), key=lambda pod: (pod.index or 0, pod.uid))
    changes: dict[str, Change] = {}
    for blow in blows:
        if blow.kind == "wait":
            play.now += timedelta(seconds=4**blow.place)
        elif blow.place < len(pods):
            pod = pods[blow.place]
            after = stricken(pod, blow, play.now)
            if after != pod:
                goes = after.deleted_at is not None and not after.tracked and not after.assigned
                changes[pod.uid] = Gone(uid=pod.uid) if goes else after
    return changes


def stricken(pod: JobPod, blow: Blow, now: datetime) -> JobPod:
    if blow.kind == "strip":
        return replace(pod, tracked=False)
    if not may(pod, blow):
        return pod
    after = struck_by(pod, blow, now)
    if blow.kind == "delete":
        return replace(after, deleted_at=now + GRACE, grace=GRACE)
    if blow.kind == "sweep":
        return after
    ended = tuple(
        replace(container, finished_at=None if container.exit_code is None else now) for container in after.containers
    )
    return replace(after, containers=ended)


def stepped(counters: Counters, changes: list[Change], now: datetime) -> tuple[JobStatus, object, list[Effect], object]:
    """All that a step leaves, without the order of what has none."""
    delta, effects = advance(counters, changes, now=now)
    found = (sorted(delta.new_succeeded_indexes), sorted(delta.new_failed_indexes), delta.record, delta.actions)
    kept = (counters.held, counters.held_counted, counters.fresh, counters.taken, counters.fatal)
    return counters.report(), found, sorted(effects, key=str), kept


def agrees(play: Play, changes: dict[str, Change]) -> None:
    """Whichever order the pods were reported in, and come in when counters are made anew."""
    kept = copy.deepcopy(play.counters)
    pods = [pod for pod in {**kept.pods, **changes}.values() if isinstance(pod, JobPod)]
    made = [opened(kept, listed) for listed in (pods, pods[::-1])]
    step = stepped(kept, list(changes.values()), play.now)

    for anew in made:
        assert stepped(anew, [], play.now) == step


def opened(kept: Counters, pods: list[JobPod]) -> Counters:
    """Counters made anew, from what a status and pods can tell."""
    return open_job(
        kept.spec, status=kept.report(), pods=pods, gates=kept.gates, choices=kept.choices, record=kept.record
    )


def amended(play: Play, patch: Json) -> None:
    spec = play.counters.spec
    written = replace(spec, **{_NAMES[name]: value for name, value in patch.items()})
    after = defaulted(written, gates=play.counters.gates)
    if not validate_update(after, spec):
        play.counters = amend(play.counters, after)


_NAMES = {
    "suspend": "suspend",
    "completions": "completions",
    "parallelism": "parallelism",
    "backoffLimit": "backoff_limit",
    "maxFailedIndexes": "max_failed_indexes",
    "podReplacementPolicy": "pod_replacement_policy",
}


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@example(
    drawn=Drawn(spec=spec_of(PER_INDEX), lingering=True), course=SUCCEEDS_WHILE_HELD, gates=ALL_ON, choices=AS_UPSTREAM
)
@example(
    drawn=Drawn(spec=spec_of(PER_INDEX), lingering=True), course=FREED_WHILE_HELD, gates=ALL_ON, choices=AS_UPSTREAM
)
@example(
    drawn=Drawn(spec=spec_of(PER_INDEX), lingering=True), course=REPLACED_OTHERWISE, gates=ALL_ON, choices=AS_UPSTREAM
)
@given(drawn=jobs(), course=COURSES, gates=GATES, choices=CHOICES)
def test_kept_counters_equal_those_of_a_job_opened_again(
    drawn: Drawn, course: list[list[Blow]], gates: Gates, choices: Choices
) -> None:
    spec = defaulted(read_spec(drawn.spec), gates=gates)
    play = Play(counters=open_job(spec, gates=gates, choices=choices), name="j", now=NOW, lingering=drawn.lingering)
    play.see()
    for blows in course:
        if play.counters.status.finished is not None:
            return
        patch = patch_of(blows[0])
        if patch is not None:
            amended(play, patch)
        changes = changed(play, blows if patch is None else blows[1:])
        agrees(play, changes)
        play.see(*changes.values())
