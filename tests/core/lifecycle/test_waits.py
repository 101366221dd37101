"""Why a job waits, and when a command is sent again."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agent.core.lifecycle.advance import advance, wakes_at
from agent.core.lifecycle.effects import Create, Refusal, Refused, Step
from agent.core.lifecycle.inputs import TimePassed
from agent.core.lifecycle.job import Orphan, SubmittedJob
from agent.core.lifecycle.repeats import due_again, due_at, sent_again
from agent.core.lifecycle.waits import (
    ForAnswer,
    ForCluster,
    ForOrphan,
    ForStop,
    ForTime,
    NameIsTaken,
    Wait,
    why_it_waits,
)
from tests.core.lifecycle.made import T0, play, read


def at(seconds: int) -> timedelta:
    return timedelta(seconds=seconds)


def wait_after(*lines: str, now: int) -> Wait | None:
    return why_it_waits(play(*lines)[0], T0 + at(now), retries_stopped=False)


def test_a_new_job_waits_for_a_cluster() -> None:
    assert wait_after(now=0) == ForCluster()


def test_a_retry_waits_for_the_stop_of_a_pod_on_a_node_since_then() -> None:
    lines = ("0 leased r0 confirmed", "1 created r0 u0", "2 running u0", "3 preempted r0 retry")

    stop = ForStop(
        run_id="r0", cluster="east", uid="u0", pod_name="armada-j-0", node="n1", since=T0 + at(3), until=None
    )
    assert wait_after(*lines, now=9999) == stop
    assert wait_after(*lines, "4 cancel", now=9999) == stop
    assert wait_after(lines[0].replace("confirmed", "timer"), *lines[1:], now=9) == replace(stop, until=T0 + at(33))


def test_a_retry_waits_for_its_time() -> None:
    lines = ("0 leased r0 confirmed", "1 creation-failed r0 retry")

    assert wait_after(*lines, now=10) == ForTime(index=1, until=T0 + at(11))
    assert wait_after(*lines, now=11) == ForCluster()


def test_a_rejected_run_waits_with_the_reason() -> None:
    assert wait_after("0 leased r0 confirmed", "1 rejected r0", now=2) == ForTime(
        index=0, until=T0 + at(11), rejected="quota"
    )


def test_a_leased_run_waits_for_an_answer_or_for_its_name() -> None:
    leased, taken = "0 leased r0 confirmed", "2 name-taken r0 u9"

    answer = ForAnswer(cluster="east", run_id="r0", since=T0)
    assert wait_after(leased, now=3) == answer
    assert wait_after(leased, taken, "3 name-taken r0 u9", now=4) == NameIsTaken(
        cluster="east", run_id="r0", uid="u9", since=T0 + at(2)
    )
    assert wait_after(leased, taken, "3 created r0 u0", now=4) == answer


def test_a_job_that_runs_or_ended_waits_for_nothing() -> None:
    lines = ("0 leased r0 confirmed", "1 created r0 u0", "2 pending u0")

    assert wait_after(*lines, now=3) is None
    assert wait_after(*lines, "3 succeeded u0", now=4) is None


def test_a_command_is_sent_again_after_twice_as_long_up_to_an_hour() -> None:
    (run,) = play("0 leased r0 confirmed")[0].runs
    waited = []
    for _ in range(8):
        due = due_at(run)
        assert due is not None
        assert due_again(run, due - timedelta(microseconds=1)) is None
        assert isinstance(due_again(run, due), Create)
        waited.append((due - run.sent_at).total_seconds())
        run = sent_again(run, due)

    assert waited == [60, 120, 240, 480, 960, 1920, 3600, 3600]


def test_a_job_that_ended_wakes_until_its_stop_is_answered() -> None:
    lines = ("0 leased r0 timer", "1 created r0 u0", "2 cancel", "32 time-passed")
    job, _ = play(*lines)
    assert (job.state, wakes_at(job, T0 + at(33))) == ("cancelled", T0 + at(62))
    again = advance(job, TimePassed(), T0 + at(62))
    assert isinstance(again, Step)
    assert len(again.effects) == 1

    answered, _ = play(*lines, "33 stopped u0 gone")
    assert wakes_at(answered, T0 + at(99)) is None


def test_a_job_whose_grace_is_over_and_that_was_not_looked_at_since_wakes_at_once() -> None:
    """Its pod was seen again after that, so that its stop was sent."""
    lines = ("0 leased r0 timer", "1 created r0 u0", "2 cancel", "3 stopped u0 gone", "99 created r0 u0")
    job, _ = play(*lines)

    assert (job.state, wakes_at(job, T0 + at(99))) == ("stopping", T0 + at(99))


ORPHAN = Orphan(cluster="east", uid="o", pod_name="armada-j-0", node="n1", since=T0)
WAITING = ("0 leased r0 confirmed", "1 created r0 u0", "2 failed u0 retry confirmed")


def with_orphan(*lines: str, **given: Any) -> SubmittedJob:
    return replace(play(*lines)[0], orphans=(replace(ORPHAN, **given),))


def test_an_orphan_holds_the_next_run_until_a_person_vouches_for_it() -> None:
    job = with_orphan(*WAITING)
    wait = why_it_waits(job, T0 + at(99), retries_stopped=False)
    assert wait == ForOrphan(cluster="east", uid="o", pod_name="armada-j-0", node="n1", since=T0)
    leased = advance(job, read("leased r1 confirmed", T0), T0 + at(99))
    assert leased == Refused(why=Refusal.WAITS, wait=wait)

    for other in ("confirmed o containers", "confirmed o person in-west", "stopped o gone", "confirmed x person"):
        assert advance(job, read(other, T0), T0 + at(99)) == Refused(why=Refusal.UNKNOWN_UID)
    vouched = advance(job, read("confirmed o person", T0), T0 + at(99))
    assert isinstance(vouched, Step)
    assert why_it_waits(vouched.job, T0 + at(99), retries_stopped=False) == ForCluster()
    assert advance(vouched.job, read("confirmed o person", T0), T0 + at(99)) == Step(vouched.job)


def test_a_pod_that_holds_the_next_run_is_named_before_an_orphan() -> None:
    assert isinstance(why_it_waits(with_orphan(*WAITING[:2], "2 failed u0 retry"), T0, retries_stopped=False), ForStop)


@pytest.mark.parametrize(
    ("lines", "given", "expected"),
    [
        (WAITING[:1], {}, True),
        (WAITING[:1], {"may_run": False}, True),
        (WAITING[:1], {"cluster": "west"}, False),
        (WAITING[:1], {"pod_name": "armada-j-0-1"}, False),
        (WAITING[:2], {}, False),
    ],
)
def test_the_pod_of_an_open_run_cannot_be_created_beside_an_orphan_of_its_name(
    lines: tuple[str, ...], given: dict[str, Any], *, expected: bool
) -> None:
    wait = why_it_waits(with_orphan(*lines, **given), T0, retries_stopped=False)

    assert (isinstance(wait, ForOrphan) and wait.run_id == "r0") is expected
    assert expected or isinstance(wait, ForAnswer)
