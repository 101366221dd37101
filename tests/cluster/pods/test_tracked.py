"""A tracked pod is changed by its own methods only, and whatever these do, its answers fit each other."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Forgotten, Known
from agent.core.failure import Occurrence
from agent.core.run_event import Confirmation, Identity, PodReference
from agent.kube.finalizer import FINALIZER, HOLD_LABEL
from agent.kube.objects import Metadata, Pod, PodStatus
from agent.observe.entry import PodEntry, RunProgress
from agent.observe.removal import Removal, RemovalKind
from tests.ground.test_structure import parsed
from tests.ground.tree import written_python

NOW = datetime(2026, 11, 21, tzinfo=UTC)
FIELDS = {each.name for each in fields(TrackedPod)}
TRACKED = Path("agent/cluster/pods/tracked.py")

entries = st.builds(
    PodEntry,
    identity=st.just(Identity(job_id="j", run_id="r")),
    reference=st.just(PodReference(namespace="n", name="a", uid="u")),
    phase=st.sampled_from(["", "Pending", "Running", "Succeeded", "Failed"]),
    ended=st.sampled_from([None, Occurrence.POD_FAILED]),
    halted=st.sampled_from([None, Occurrence.NEVER_STARTED]),
    stopping=st.booleans(),
)
pods = st.builds(
    Pod,
    metadata=st.builds(
        Metadata,
        deletionTimestamp=st.sampled_from([None, NOW]),
        deletionGracePeriodSeconds=st.sampled_from([None, 0, 30]),
        labels=st.sampled_from([None, {HOLD_LABEL: "true"}]),
        finalizers=st.sampled_from([None, [FINALIZER], ["other"]]),
    ),
    status=st.builds(PodStatus, phase=st.sampled_from(["Pending", "Failed"])),
)
removals = st.builds(
    Removal,
    kind=st.sampled_from(RemovalKind),
    since=st.just(NOW),
    event_id=st.sampled_from(["", "e1", "e2"]),
    reported=st.booleans(),
    without_finalizer=st.booleans(),
)


class TrackedPodLaws(RuleBasedStateMachine):
    """Every transition, in any order that the agent may come to."""

    def __init__(self) -> None:
        super().__init__()
        self.tracked = TrackedPod(
            entry=PodEntry(
                identity=Identity(job_id="j", run_id="r"), reference=PodReference(namespace="n", name="a", uid="u")
            ),
            reported_before=frozenset({"e1", "e2"}),
        )
        self.was_gone = False

    @rule(entry=entries, pod=st.none() | pods, gone=st.booleans())
    def observe(self, entry: PodEntry, pod: Pod | None, *, gone: bool) -> None:
        removal = self.tracked.entry.removal
        self.tracked.observed(replace(entry, removal=removal), pod, gone=gone)
        assert self.tracked.seen
        assert self.tracked.gone >= gone
        assert not self.tracked.out_of_scope

    @rule(pod=st.none() | pods, due_at=st.sampled_from([None, NOW]), by_events=st.booleans())
    def reconcile(self, pod: Pod | None, due_at: datetime | None, *, by_events: bool) -> None:
        self.tracked.reconciled(pod, due_at=due_at, by_events=by_events)
        assert self.tracked.due_at == due_at
        assert self.tracked.pod is None or self.tracked.pod is pod
        if by_events or self.tracked.entry.removal is not None:
            assert self.tracked.pod is pod
        elif due_at is None:
            assert self.tracked.pod is None

    @rule(gone=st.booleans())
    def defer(self, *, gone: bool) -> None:
        self.tracked.deferred(gone=gone)
        assert self.tracked.pod is None
        assert self.tracked.listed is None

    @rule()
    def leave_scope(self) -> None:
        self.tracked.left_scope()
        assert self.tracked.left

    @rule(cases=st.integers(0, 3))
    def open_cases(self, cases: int) -> None:
        before = self.tracked.working
        self.tracked.opened(cases)
        assert self.tracked.working == before + cases

    @precondition(lambda self: self.tracked.working > 0)
    @rule()
    def report(self) -> None:
        under_way = self.tracked.working + self.tracked.unsaved
        self.tracked.reported()
        assert self.tracked.working + self.tracked.unsaved == under_way
        assert not self.tracked.settled

    @rule()
    def amend(self) -> None:
        self.tracked.amended()
        assert not self.tracked.settled

    @rule()
    def save(self) -> None:
        self.tracked.saved()

    @rule(removal=removals, pod=pods)
    def remove(self, removal: Removal, pod: Pod) -> None:
        self.tracked.removing(removal, pod)
        assert self.tracked.entry.stopping
        assert self.tracked.pod is pod

    @rule(removal=st.none() | removals)
    def advance_removal(self, removal: Removal | None) -> None:
        self.tracked.removal_advanced(removal)
        assert self.tracked.entry.removal == removal

    @rule()
    def cancel_removal(self) -> None:
        before = self.tracked.entry.removal
        self.tracked.removal_cancelled()
        assert self.tracked.entry.removal is None
        if before is not None:
            assert before.event_id not in self.tracked.reported_before
            assert (self.tracked.entry.halted, self.tracked.entry.stopping) == (None, False)

    @rule(lists=st.integers(0, 2), untouched=st.booleans())
    def follow(self, lists: int, *, untouched: bool) -> None:
        self.tracked.followed(lists, untouched=untouched)
        assert self.tracked.watched >= untouched
        if self.tracked.watched:
            assert self.tracked.listed == lists

    @rule(confirmation=st.none() | st.sampled_from(Confirmation))
    def confirm(self, confirmation: Confirmation | None) -> None:
        self.tracked.confirmed(confirmation)
        assert self.tracked.may_live == (confirmation is None)

    @rule()
    def answer_the_stop(self) -> None:
        self.tracked.stop_answered()
        assert self.tracked.answered

    @invariant()
    def nothing_is_counted_below_zero(self) -> None:
        assert self.tracked.working >= 0
        assert self.tracked.unsaved >= 0
        assert self.tracked.settled == (self.tracked.working + self.tracked.unsaved == 0)

    @invariant()
    def gone_is_for_ever(self) -> None:
        assert self.tracked.gone >= self.was_gone
        self.was_gone = self.tracked.gone

    @invariant()
    def what_is_released_is_over_and_told(self) -> None:
        if self.tracked.releasable:
            assert self.tracked.settled
            assert self.tracked.over
            assert self.tracked.held
            assert not self.tracked.left
            assert not self.tracked.may_live
            assert not (self.tracked.entry.removal and self.tracked.entry.removal.holds)

    @invariant()
    def it_is_never_to_be_held_and_released_at_once(self) -> None:
        assert not (self.tracked.to_hold and (self.tracked.releasable or self.tracked.held or self.tracked.left))

    @invariant()
    def what_is_packed_is_at_rest(self) -> None:
        if self.tracked.packable:
            assert self.tracked.settled
            assert self.tracked.pod is None
            assert self.tracked.entry.removal is None
            assert not self.tracked.held
            assert not self.tracked.left
            assert not self.tracked.reported_before

    @invariant()
    def what_is_deleted_is_being_removed_and_on_disk(self) -> None:
        assert self.tracked.to_remove >= self.tracked.removable
        if self.tracked.to_remove:
            assert self.tracked.entry.removal is not None
            assert self.tracked.settled
            assert not self.tracked.left

    @invariant()
    def the_spool_forgets_what_left(self) -> None:
        assert isinstance(self.tracked.durable(), Forgotten if self.tracked.left else Known)


TestTrackedPodLaws = TrackedPodLaws.TestCase


def test_a_pod_that_is_gone_is_not_held_by_what_is_heard_late() -> None:
    tracked = TrackedPod(entry=TrackedPodLaws().tracked.entry)
    late = Pod(metadata=Metadata(finalizers=[FINALIZER], labels={HOLD_LABEL: "true"}))
    tracked.observed(tracked.entry, None, gone=True)

    tracked.observed(tracked.entry, late, gone=False)

    assert (tracked.gone, tracked.held, tracked.wants_finalizer) == (True, False, False)


def test_a_report_from_before_it_was_forgotten_counts_for_nothing() -> None:
    tracked = TrackedPod(entry=TrackedPodLaws().tracked.entry)

    tracked.saved()
    tracked.opened(1)
    tracked.reported()
    tracked.saved()

    assert tracked.settled


def test_what_was_confirmed_of_the_pod_of_a_run_stays_confirmed() -> None:
    registry = PodRegistry()
    tracked = registry.add(replace(TrackedPodLaws().tracked.entry, run=RunProgress()))
    said = []
    for confirmation in (None, Confirmation.REFUSED_BY_KUBELET, None):
        tracked.confirmed(confirmation)
        said.append(tracked.may_live)
    assert said == [True, False, False]

    registry.pack(tracked)
    again = registry.get(tracked.entry.reference.uid)
    assert again is not None
    again.confirmed(None)
    assert again.may_live is False


@pytest.mark.parametrize(("phase", "kept"), [("Running", False), ("Pending", True)])
def test_the_state_of_a_running_pod_is_not_kept_until_it_is_due(phase: str, *, kept: bool) -> None:
    tracked = TrackedPod(entry=TrackedPodLaws().tracked.entry)
    tracked.reconciled(Pod(status=PodStatus(phase=phase)), due_at=NOW, by_events=False)
    assert (tracked.pod is not None) == kept


def assigned(tree: ast.Module) -> Iterator[str]:
    """Where a field of a tracked pod is given a value; ``self`` is the object whose field it is."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=attr, ctx=ast.Store() | ast.Del()) if attr in FIELDS:
                if not (isinstance(value, ast.Name) and value.id == "self"):
                    yield f"line {node.lineno}: {ast.unparse(node)}"
            case ast.Call(func=ast.Name(id="setattr" | "delattr")):
                yield f"line {node.lineno}: {ast.unparse(node)}"


def test_no_other_file_changes_a_tracked_pod() -> None:
    readers = [path for path in written_python("agent") if path.parts[1] in {"cluster", "observe"} and path != TRACKED]

    assert TRACKED in written_python("agent")
    assert len(readers) > 1
    assert [f"{path} {where}" for path in readers for where in assigned(parsed(path))] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tracked.working -= 1", True),
        ("tracked.entry = entry", True),
        ("a.tracked.gone: bool = True", True),
        ("tracked.pod, other = None, 1", True),
        ("setattr(tracked, name, value)", True),
        ("self.seen = True", False),
        ("known = tracked.entry", False),
        ("tracked.left_scope()", False),
    ],
)
def test_a_change_is_found(line: str, *, found: bool) -> None:
    assert bool(list(assigned(ast.parse(line)))) is found
