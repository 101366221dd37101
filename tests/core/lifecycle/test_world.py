"""The model finds no interleaving that breaks a promise; with the code behind a promise switched off, it finds one."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from agent.core.lifecycle import advance, endings, leasing, repeats, reports, requests, succession, waits
from agent.core.lifecycle.effects import Command, Effect, Refused, Step, WriteVerdict
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import Input, LeaseExpired, Retry, RunCreated, RunReport
from agent.core.lifecycle.job import EndedBy, NextRun, SubmittedJob
from agent.core.lifecycle.repeats import create_of, start_of
from agent.core.lifecycle.run import JobRun, LostCluster, RunTerms, RunVerdict
from agent.core.lifecycle.state import State
from agent.core.run_event import Confirmation
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
@pytest.mark.timeout(1800)  # two million steps
def test_no_long_series_of_walks_breaks_a_promise() -> None:
    """2,000,000 steps."""
    walks(20_000)


# What each of these does instead of the code is what the promise forbids.


def accept_any_pod(job: SubmittedJob, event: RunCreated, _: datetime) -> Step:
    run = job.run(event.run_id)
    return Step(job, () if run is None else (start_of(run, event.uid),))


def accept_late_pod(job: SubmittedJob, event: RunCreated, now: datetime) -> Step:
    run = job.run(event.run_id)
    if run is None or run.uid is not None:
        return leasing.created(job, event, now)
    accepted = replace(run, uid=event.uid)
    return Step(job.with_run(accepted), (start_of(accepted, event.uid),))


def start_closed_run(run: JobRun, uid: str) -> tuple[Effect, ...]:
    return (start_of(run, uid),)


def no_wait(_: SubmittedJob, __: datetime) -> None:
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


def ignore_success(job: SubmittedJob, run: JobRun, now: datetime) -> Step:
    return endings.succeed(job, run, now) if run.is_open else Step(job)


def count_rejection(job: SubmittedJob, run: JobRun, *, now: datetime, **terms: Any) -> Step:
    rejected = endings.reject(job, run, now=now, **terms).job
    following = rejected.next or NextRun()
    return Step(replace(rejected, next=replace(following, attempt=following.attempt + 1)))


def never_repeat(_: JobRun, __: datetime) -> None:
    return None


def repeat_closed_create(run: JobRun, now: datetime) -> Command | None:
    closed = run.uid is None and not run.is_open
    return create_of(run) if closed else repeats.due_again(run, now)


def judge_silence(job: SubmittedJob, event: RunReport, now: datetime) -> Step | Refused:
    run = job.run(event.run_id)
    if run is None or not isinstance(event, LeaseExpired):
        return reports.of_run(job, event, now)
    return endings.judge(job, run, event.verdict, now)


def only_note_never_retry(job: SubmittedJob, _: datetime) -> Step:
    return Step(replace(job, never_retry=True))


def reopen_when_stopped(job: SubmittedJob, now: datetime) -> SubmittedJob:
    settled = succession.settle(job, now)
    if settled == job:
        return job
    return replace(settled, state=State.RETRY_WAITING, ending=None, next=NextRun(index=len(job.runs)))


def count_every_retry(job: SubmittedJob, event: Retry) -> Step | Refused:
    retried = RETRY(job, event)
    return retried if isinstance(retried, Refused) else Step(replace(retried.job, opening=job.opening + 1))


RETRY = requests._retry


def no_laws(_: SubmittedJob, __: Input, ___: datetime, ____: Step | Refused) -> Iterator[Finding]:
    """The laws know the rules; what the model itself sees is found without them."""
    return iter(())


class Off(NamedTuple):
    """A promise without the code behind it, and what breaks then."""

    promise: Guarantee
    place: object
    name: str
    instead: Callable[..., object]
    breaks: str


SEEN = [
    Off(Guarantee.ONE_UID_PER_RUN, advance, "created", accept_any_pod, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    Off(Guarantee.NO_UID_NO_ANSWER, advance, "created", accept_late_pod, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    Off(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, waits, "holding", no_wait, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    Off(Guarantee.ONLY_CONTAINERS_CONFIRM, Pod, "proof", trust_phase, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    Off(Guarantee.ONLY_CONTAINERS_CONFIRM, Pod, "proof", trust_deletion, Guarantee.NEXT_RUN_AFTER_CONFIRMATION),
    Off(Guarantee.BELONGS_BY_UID, SubmittedJob, "run_of_pod", belong_by_label, Guarantee.BELONGS_BY_UID),
    Off(Guarantee.ONE_VERDICT_PER_RUN, reports, "_failed", judge_twice, Guarantee.ONE_VERDICT_PER_RUN),
    Off(Guarantee.FIRST_ENDING_WINS, requests, "_cancel", cancel_ended_job, Guarantee.FIRST_ENDING_WINS),
    Off(Guarantee.ANSWERED_OR_REPEATED, advance, "due_again", never_repeat, "every-job-ends"),
]
"""Found by what the model sees: pods that live, verdicts and endings that were written, jobs that never end."""

LAWS = [
    Off(Guarantee.STARTS_ONLY_BY_UID, leasing, "_answer_again", start_closed_run, Guarantee.STARTS_ONLY_BY_UID),
    Off(Guarantee.CLOSED_RUN_NEVER_SENT, advance, "due_again", repeat_closed_create, Guarantee.CLOSED_RUN_NEVER_SENT),
    Off(Guarantee.REJECTION_COUNTS_NOTHING, reports, "reject", count_rejection, Guarantee.REJECTION_COUNTS_NOTHING),
    Off(Guarantee.STOP_WITH_EVERY_END, endings, "stopped", forget_stop, Guarantee.STOP_WITH_EVERY_END),
    Off(Guarantee.SUCCESS_BEFORE_NEXT_RUN, reports, "succeed", ignore_success, Guarantee.SUCCESS_BEFORE_NEXT_RUN),
    Off(Guarantee.NO_RUN_AFTER_END, reports, "settle", reopen_when_stopped, Guarantee.NO_RUN_AFTER_END),
    Off(Guarantee.NEVER_RETRY_FORBIDS, requests, "_never_retry", only_note_never_retry, Guarantee.NEVER_RETRY_FORBIDS),
    Off(Guarantee.SILENCE_PROVES_NOTHING, advance, "of_run", judge_silence, Guarantee.SILENCE_PROVES_NOTHING),
    Off(Guarantee.REPEATS_CHANGE_NOTHING, requests, "_retry", count_every_retry, Guarantee.REPEATS_CHANGE_NOTHING),
]
"""Found by the laws of a step."""

ELSEWHERE = {Guarantee.HELD_NOT_FAILED}
"""Tried by test_laws: no input is held, only the choice of what to lease."""


def named(off: Off) -> str:
    return off.instead.__name__


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
@pytest.mark.parametrize("off", SEEN, ids=named)
def test_the_model_sees_what_happens_without_a_rule(monkeypatch: pytest.MonkeyPatch, off: Off) -> None:
    monkeypatch.setattr(off.place, off.name, off.instead)

    assert breaks(off.breaks, without_laws)


@pytest.mark.slow
@pytest.mark.parametrize("off", LAWS, ids=named)
def test_a_law_breaks_without_a_rule(monkeypatch: pytest.MonkeyPatch, off: Off) -> None:
    monkeypatch.setattr(off.place, off.name, off.instead)

    assert breaks(off.breaks, World)


def test_every_promise_is_tried() -> None:
    assert {off.promise for off in (*SEEN, *LAWS)} | ELSEWHERE == set(Guarantee)
