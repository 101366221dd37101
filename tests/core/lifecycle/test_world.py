"""The model finds no interleaving that breaks a promise; with the code behind a promise switched off, it finds one."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from agent.core.lifecycle import advance, endings, leasing, reports, requests, waits
from agent.core.lifecycle.confirmation import Confirmation
from agent.core.lifecycle.effects import Effect, Refused, Step, WriteVerdict
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import Input, RunCreated
from agent.core.lifecycle.job import EndedBy, NextRun, SubmittedJob
from agent.core.lifecycle.repeats import start_of
from agent.core.lifecycle.run import JobRun, LostCluster, RunTerms, RunVerdict
from agent.core.lifecycle.state import State
from tests.core.lifecycle.laws import Finding
from tests.core.lifecycle.made import CONFIRMED, TIMER
from tests.core.lifecycle.moves import step
from tests.core.lifecycle.world import Broken, Pod, World

STEPS = 100
"""Of one walk."""


TERMS = (CONFIRMED, TIMER, replace(CONFIRMED, lost_cluster=LostCluster.REPLACE))


class Loop(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.holds = True

    @initialize(terms=st.sampled_from(TERMS))
    def submit(self, terms: RunTerms) -> None:
        self.world.terms = terms

    @rule(number=st.integers(0, 10**9))
    def move(self, number: int) -> None:
        self.holds = False
        note(step(self.world, number))
        self.holds = True

    def teardown(self) -> None:
        if self.holds:
            self.world.drain()


def walk(seed: int, world: World) -> None:
    """Moves in the order of the seed, then everything that is due. A seed that breaks a promise is in the message."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    try:
        for _ in range(STEPS):
            step(world, draw.randrange(10**9))
        world.drain()
    except Broken as broken:
        broken.add_note(f"walk({seed}, World(terms={world.terms}))")
        raise


def walks(count: int) -> None:
    first = random.SystemRandom().randrange(10**9)
    for seed in range(first, first + count):
        walk(seed, World(terms=TERMS[seed % len(TERMS)]))


@pytest.mark.slow
def test_no_interleaving_breaks_a_promise() -> None:
    """20,000 steps, made smaller by hypothesis if they break one."""
    run_state_machine_as_test(Loop, settings=settings(max_examples=200, stateful_step_count=STEPS))


@pytest.mark.slow
def test_no_walk_breaks_a_promise() -> None:
    """20,000 steps with another distribution: hypothesis prefers small numbers."""
    walks(200)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_no_long_series_of_walks_breaks_a_promise() -> None:
    """2,000,000 steps."""
    walks(20_000)


# What each of these does instead of the code is what the promise forbids.


def accept_any_pod(job: SubmittedJob, event: RunCreated, _: datetime) -> Step:
    run = job.run(event.run_id)
    return Step(job, () if run is None else (start_of(run, event.uid),))


def accept_pod_of_closed_run(job: SubmittedJob, event: RunCreated, now: datetime) -> Step:
    run = job.run(event.run_id)
    if run is None or run.uid is not None:
        return leasing.created(job, event, now)
    accepted = replace(run, uid=event.uid)
    return Step(job.with_run(accepted), (start_of(accepted, event.uid),))


def start_closed_run(run: JobRun, uid: str) -> tuple[Effect, ...]:
    return (start_of(run, uid),)


def wait_for_nothing(_: SubmittedJob, __: datetime) -> None:
    return None


def trust_phase(pod: Pod) -> Confirmation | None:
    return Confirmation.CONTAINERS if pod.phase_failed else PROOF(pod)


def trust_deletion(pod: Pod) -> Confirmation | None:
    return PROOF(pod) if pod.exists else Confirmation.CONTAINERS


PROOF = Pod.proof


def belong_by_label(job: SubmittedJob, uid: str, *, cluster: str) -> JobRun | None:
    del uid, cluster
    return job.latest


def judge_twice(
    job: SubmittedJob, run: JobRun, verdict: RunVerdict, *, confirmed: Confirmation | None, now: datetime
) -> Step | Refused:
    if run.is_open:
        return endings.judge(job, replace(run, confirmed=confirmed), verdict, now)
    return Step(job.with_run(replace(run, verdict=verdict)), (WriteVerdict(run_id=run.run_id, verdict=verdict),))


def forget_stop(job: SubmittedJob, _: datetime) -> tuple[SubmittedJob, tuple[Effect, ...]]:
    return job, ()


def cancel_ended_job(job: SubmittedJob, now: datetime) -> Step:
    return endings.end(job, state=State.CANCELLED, by=EndedBy.CANCEL, now=now)


def ignore_late_success(job: SubmittedJob, run: JobRun, now: datetime) -> Step:
    return endings.succeed(job, run, now) if run.is_open else Step(job)


def count_rejection(job: SubmittedJob, run: JobRun, *, now: datetime, **terms: Any) -> Step:
    rejected = endings.reject(job, run, now=now, **terms).job
    following = rejected.next or NextRun()
    return Step(replace(rejected, next=replace(following, attempt=following.attempt + 1)))


def never_repeat(_: JobRun, __: datetime) -> None:
    return None


def no_laws(_: SubmittedJob, __: Input, ___: datetime, ____: Step | Refused) -> Iterator[Finding]:
    """The laws know the rules; what the model itself sees is found without them."""
    return iter(())


SEEN = [
    (advance, "created", accept_any_pod, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    (advance, "created", accept_pod_of_closed_run, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    (waits, "holding", wait_for_nothing, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    (Pod, "proof", trust_phase, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    (Pod, "proof", trust_deletion, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    (SubmittedJob, "run_of_pod", belong_by_label, Guarantee.BELONGS_BY_UID),
    (reports, "_failed", judge_twice, Guarantee.ONE_VERDICT_PER_RUN),
    (requests, "_cancel", cancel_ended_job, Guarantee.FIRST_ENDING_WINS),
    (advance, "due_again", never_repeat, "every-job-ends"),
]
"""Found by what the model sees: pods that live, verdicts and endings that were written, jobs that never end."""

LAWS = [
    (leasing, "_answer_again", start_closed_run, Guarantee.STARTS_ONLY_BY_UID),
    (endings, "stopped", forget_stop, Guarantee.STOP_WITH_EVERY_END),
    (reports, "succeed", ignore_late_success, Guarantee.SUCCESS_BEFORE_NEXT_RUN),
    (reports, "reject", count_rejection, Guarantee.REJECTION_COUNTS_NOTHING),
]
"""Found by the laws of a step."""


def breaks(promise: str, world: Callable[[], World]) -> bool:
    """Whether one of some walks breaks the promise."""
    for seed in range(1500):
        try:
            walk(seed, world())
        except Broken as broken:
            if broken.guarantee == promise:
                return True
    return False


def without_laws() -> World:
    return World(laws=no_laws)


@pytest.mark.slow
@pytest.mark.parametrize(("place", "name", "instead", "promise"), SEEN, ids=[str(row[2].__name__) for row in SEEN])
def test_the_model_sees_what_happens_without_a_rule(
    monkeypatch: pytest.MonkeyPatch, place: object, name: str, instead: object, promise: str
) -> None:
    monkeypatch.setattr(place, name, instead)

    assert breaks(promise, without_laws)


@pytest.mark.slow
@pytest.mark.parametrize(("place", "name", "instead", "promise"), LAWS, ids=[str(row[2].__name__) for row in LAWS])
def test_a_law_breaks_without_a_rule(
    monkeypatch: pytest.MonkeyPatch, place: object, name: str, instead: object, promise: str
) -> None:
    monkeypatch.setattr(place, name, instead)

    assert breaks(promise, World)
