"""While the clock may be wrong nothing is given up; afterwards it is."""

from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.core.failure import HALTS, Occurrence, Origin
from agent.observe.deadlines import Deadlines, StartProblemKind
from agent.observe.doubt import RECHECK, next_look, postpone_halts, recount
from agent.observe.entry import PodEntry, StartProblem
from agent.observe.occurrence import observe
from agent.observe.removal import Removal, RemovalKind
from tests.observe.pods import NOW, ago, pod, status

PULLS = {"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
INVALID = {"name": "main", "state": {"waiting": {"reason": "InvalidImageName"}}}
FAILED = {"name": "main", "state": {"terminated": {"exitCode": 1, "finishedAt": ago(3)}}}

offsets = st.integers(-10 * 86400, 10 * 86400).map(lambda seconds: timedelta(seconds=seconds))
states: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        status("Pending", PULLS),
        status("Pending", INVALID),
        status("Pending", startTime=ago(7200)),
        status("Running", {"name": "main", "state": {"running": {"startedAt": ago(7200)}}}),
        status("Failed", FAILED),
    ]
)


def doubted() -> str:
    return "the time is not known"


def certain() -> None:
    return None


@given(state=states, offs=st.lists(offsets, min_size=1, max_size=6), deleted=st.booleans())
def test_nothing_is_given_up_whatever_the_clock_says_while_there_is_a_doubt(
    *, state: dict[str, Any], offs: list[timedelta], deleted: bool
) -> None:
    metadata = {"deletionTimestamp": ago(60)} if deleted else {}
    seen = pod(state, metadata=metadata, spec={"nodeName": "n", "activeDeadlineSeconds": 60})
    entry: PodEntry | None = None
    for offset in offs:
        now = NOW + offset
        entry, occurred = observe(entry, seen, deleted=False, now=now, deadlines=Deadlines())
        seen_before = {event.occurrence for event in occurred} - HALTS
        entry, occurred = postpone_halts(entry, occurred, now=now, doubt=doubted)
        assert {event.occurrence for event in occurred} == seen_before
        assert entry.halted is None


@given(states)
def test_what_was_due_meanwhile_is_given_up_when_the_doubt_is_over(state: dict[str, Any]) -> None:
    seen = pod(state, spec={"nodeName": "n"})
    later = NOW + timedelta(hours=3)
    entry, _ = observe(None, seen, deleted=False, now=NOW, deadlines=Deadlines())
    wanted, occurred = observe(entry, seen, deleted=False, now=later, deadlines=Deadlines())
    postponed, kept = postpone_halts(wanted, occurred, now=later, doubt=doubted)
    halts = [event.occurrence for event in occurred if event.occurrence in HALTS]
    assert (postponed.due_at == later + RECHECK) or not halts

    after, occurred_after = observe(postponed, seen, deleted=False, now=later + RECHECK, deadlines=Deadlines())
    after, given_up = postpone_halts(after, occurred_after, now=later + RECHECK, doubt=certain)
    assert [event.occurrence for event in given_up if event.occurrence in HALTS] == halts
    assert [event for event in kept if event.occurrence in HALTS] == []
    assert after.halted == wanted.halted


def test_times_that_have_come_are_looked_at_again_only_while_there_is_a_doubt() -> None:
    past, future = NOW - timedelta(minutes=1), NOW + timedelta(minutes=1)
    assert next_look([past, None, future], now=NOW, doubt=doubted) == NOW + RECHECK
    assert next_look([past, None, future], now=NOW, doubt=certain) == future
    assert next_look([None, future], now=NOW, doubt=doubted) == future
    assert next_look([past], now=NOW, doubt=certain) is None


@given(offsets)
def test_what_lasted_by_a_wrong_clock_lasts_from_now(offset: timedelta) -> None:
    since: datetime = NOW + offset
    problem = StartProblem(kind=StartProblemKind.IMAGE, container="main", since=since)
    entry, _ = observe(None, pod(status("Running")), deleted=False, now=NOW, deadlines=Deadlines())
    removal = Removal(kind=RemovalKind.FAILED, since=since, origin=Origin.USER)
    old = PodEntry(identity=entry.identity, reference=entry.reference, start_problems=(problem,), removal=removal)

    new = recount(old, NOW)
    assert [problem.since for problem in new.start_problems] == [NOW]
    assert new.removal is not None
    assert new.removal.since == NOW
    assert recount(entry, NOW) == entry


def test_a_halt_that_was_reported_stays() -> None:
    entry, _ = observe(None, pod(status("Running")), deleted=False, now=NOW, deadlines=Deadlines())
    halted = PodEntry(identity=entry.identity, reference=entry.reference, halted=Occurrence.NEVER_STARTED)
    assert postpone_halts(halted, (), now=NOW, doubt=doubted) == (halted, ())
