"""With replicas that die and overlap, no interleaving breaks a promise; without a rule, one does.

Each of the tests with a story looks for a walk in which what the rule forbids happens, after the parts of the story in
this order. The laws of a step are off there: only what the model sees counts.
"""

import random
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from agent.core.lifecycle import advance, reports
from agent.core.lifecycle.effects import Create
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import CreationFailed, NameTaken
from agent.core.lifecycle.inventory import Absence, Consumed, Inventory, absence_of
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import Fail, JobRun
from agent.core.run_event import Confirmation
from tests.core.lifecycle import replicas
from tests.core.lifecycle.made import CONFIRMED
from tests.core.lifecycle.moves import Move
from tests.core.lifecycle.replica_moves import move, some_moves
from tests.core.lifecycle.replicas import ABSENCE, ORPHAN, STEP, Replicas
from tests.core.lifecycle.test_world import TERMS, accept_late_pod, belong_by_label, ignore_success, no_laws
from tests.core.lifecycle.world import CLUSTER, Broken, Pod

STEPS = 250
"""Of one walk."""

WALKS = 3000
"""In which one must break a promise without its rule."""


class Loop(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = Replicas()
        self.moves: Sequence[Move] = ()
        self.holds = True

    @initialize(seed=st.integers(0, 10**9))
    def submit(self, seed: int) -> None:
        self.world = world_of(seed)
        self.moves = some_moves(random.Random(seed))  # noqa: S311 - no secret

    @rule(number=st.integers(0, 10**9))
    def move(self, number: int) -> None:
        self.holds = False
        move(self.world, number, self.moves)
        note(self.world.story[-1])
        self.holds = True

    def teardown(self) -> None:
        if self.holds:
            self.world.drain()


def world_of(seed: int) -> Replicas:
    return Replicas(terms=TERMS[seed % len(TERMS)], one_name=bool(seed // len(TERMS) % 2))


def walk(seed: int, world: Replicas, often: Sequence[str] = ()) -> None:
    """Moves in the order of the seed, some of them often, then everything that is due."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    moves = some_moves(draw, often)
    for _ in range(STEPS):
        move(world, draw.randrange(10**9), moves)
    world.drain()


def walks(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    first = random.SystemRandom().randrange(10**9)
    with capsys.disabled():  # whoever looks at a run sees what was walked, also where it breaks nothing
        sys.stdout.write(f"\nseeds {first} to {first + count - 1}, {STEPS} steps each\n")
    for seed in range(first, first + count):
        try:
            walk(seed, world_of(seed))
        except Broken as broken:
            broken.add_note(f"walk({seed}, world_of({seed}))")
            raise


@pytest.mark.slow
def test_no_interleaving_of_replicas_breaks_a_promise() -> None:
    """20,000 steps, made smaller by hypothesis if they break one."""
    run_state_machine_as_test(Loop, settings=settings(max_examples=100, stateful_step_count=200))


@pytest.mark.slow
def test_no_walk_of_replicas_breaks_a_promise(capsys: pytest.CaptureFixture[str]) -> None:
    """100,000 steps."""
    walks(400, capsys)


@pytest.mark.long
@pytest.mark.timeout(7200)  # ten million steps
def test_no_long_series_of_walks_of_replicas_breaks_a_promise(capsys: pytest.CaptureFixture[str]) -> None:
    """10,000,000 steps."""
    walks(40_000, capsys)


def tells(happened: Iterable[str], story: Iterable[str]) -> bool:
    """Whether all parts of the story happened, in this order, whatever else did."""
    rest = iter(happened)
    return all(part in rest for part in story)


def finds(promise: str, story: Sequence[str], *, often: Sequence[str] = (), one_name: bool | None = None) -> bool:
    """Whether a walk breaks the promise after the story, by what the model sees."""
    for seed in range(WALKS):
        world = world_of(seed)
        world.terms, world.laws = CONFIRMED, no_laws
        world.one_name = world.one_name if one_name is None else one_name
        try:
            walk(seed, world, often)
        except Broken as broken:
            if broken.guarantee == promise and tells(world.story, story):
                return True
    return False


# What each test puts in the place of a rule is what the rule forbids.

START, PROOF, ABSENCE_OF = Replicas.start, Pod.proof, absence_of


@pytest.mark.slow
def test_it_finds_a_late_create_after_another_holder_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advance, "created", accept_late_pod)

    story, often = ("agent dies", "CreationFailed", "land"), ("take", "agent dies", "deny", "bind")
    assert finds(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, story, often=often)


def start_by_name(world: Replicas, pod: Pod) -> None:
    named = [each for each in world.pods if each.exists and each.name == pod.name]
    START(world, named[-1] if named else pod)


@pytest.mark.slow
def test_it_finds_a_start_repeated_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Replicas, "start", start_by_name)

    assert finds(Guarantee.STARTS_ONLY_BY_UID, ("Start", "Stop", "repeat", "Start"), often=["repeat"], one_name=True)


def trust_phase(pod: Pod) -> Confirmation | None:
    return Confirmation.CONTAINERS if pod.phase_failed else PROOF(pod)


@pytest.mark.slow
def test_it_finds_that_pod_gc_fails_a_pod_on_a_node_that_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pod, "proof", trust_phase)

    often = ("bind", "cut off", "PodGC", "report")
    assert finds(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, (*often, "RunFailed"), often=often)


def trust_forced_deletion(pod: Pod) -> Confirmation | None:
    return Confirmation.CONTAINERS if pod.forced and not pod.phase_failed else PROOF(pod)


@pytest.mark.slow
def test_it_finds_a_forced_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pod, "proof", trust_forced_deletion)

    often = ("bind", "force deletion", "report")
    assert finds(Guarantee.NEXT_RUN_AFTER_CONFIRMATION, (*often, "RunFailed"), often=often)


@pytest.mark.slow
def test_it_finds_a_copied_manifest_whose_copy_fails_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SubmittedJob, "run_of_pod", belong_by_label)

    often = ("copy ungated", "fail")
    assert finds(Guarantee.BELONGS_BY_UID, (*often, "report", "RunFailed"), often=often)


def ignore_what_is_on_its_way(run: JobRun, listed: Inventory, consumed: Consumed, **how: Any) -> Absence | None:
    return ABSENCE_OF(run, listed, replace(consumed, up_to_date=True), **how)


def ignore_dead_letters(run: JobRun, listed: Inventory, consumed: Consumed, **how: Any) -> Absence | None:
    return ABSENCE_OF(run, listed, replace(consumed, dead=()), **how)


def ignore_its_age(
    run: JobRun, listed: Inventory, consumed: Consumed, *, changed_at: datetime, scopes: Collection[str]
) -> Absence | None:
    listed = replace(listed, as_of=changed_at + STEP)
    return ABSENCE_OF(run, listed, consumed, changed_at=changed_at, scopes=scopes)


GOES = ("succeed", "sync", "delete", "release", "list")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instead", "story", "often"),
    [
        (ignore_what_is_on_its_way, ("succeed", "release", "list", Absence.MISSING), ("delay", *GOES)),
        (ignore_dead_letters, ("succeed", "dead letter", "list", Absence.MISSING), ("dead letter", *GOES)),
        (ignore_its_age, ("list", "RunCreated", Absence.MISSING), ("list",)),
    ],
)
def test_it_finds_an_inventory_read_before_the_success_that_preceded_it(
    monkeypatch: pytest.MonkeyPatch, instead: Callable[..., Absence | None], story: Sequence[str], often: Sequence[str]
) -> None:
    monkeypatch.setattr(replicas, "absence_of", instead)

    assert finds(ABSENCE, story, often=often)


@pytest.mark.slow
def test_it_finds_a_pod_without_our_gate_under_the_name_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SubmittedJob, "holding_orphan", None)

    often = ("copy in its place", "ask for a list", "bind")
    assert finds(ORPHAN, ("copy in its place", "bind", "Ask"), often=often)


@pytest.mark.slow
def test_it_finds_a_success_reported_after_a_preemption_was_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "succeed", ignore_success)

    often = ("preempt", "succeed", "sync")
    assert finds(Guarantee.SUCCESS_BEFORE_NEXT_RUN, (*often, "PhaseReported"), often=often)


@pytest.mark.slow
def test_it_finds_cancel_against_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Replicas, "under_lock", lambda _, read: read)

    assert finds(Guarantee.NO_RUN_AFTER_END, ("ask", "Cancel", "Retry"), often=["ask"])


def live_only_without_fail(run: JobRun) -> bool:
    return run.uid is not None and run.confirmed is None and not isinstance(run.verdict, Fail)


@pytest.mark.slow
def test_it_finds_a_fail_on_a_halted_run_that_still_burns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobRun, "may_still_live", property(live_only_without_fail))

    assert finds(Guarantee.STOP_WITH_EVERY_END, ("halt", "RunFailed"), often=["halt"])


def only_wait(world: Replicas, command: Create, holder: Pod) -> None:
    world.story.append("name held")
    world.send(NameTaken(cluster=CLUSTER, run_id=command.run_id, uid=holder.uid))


def give_up(world: Replicas, command: Create, _: Pod) -> None:
    world.story.append("name held")
    world.send(CreationFailed(cluster=CLUSTER, run_id=command.run_id, verdict=Fail()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instead", "breaks"), [(only_wait, "every-job-ends"), (give_up, Guarantee.REJECTION_COUNTS_NOTHING)]
)
def test_it_finds_a_name_that_our_own_earlier_pod_holds(
    monkeypatch: pytest.MonkeyPatch, instead: Callable[..., None], breaks: str
) -> None:
    monkeypatch.setattr(Replicas, "wait_for_name", instead)

    assert finds(breaks, ["name held"], one_name=True)
