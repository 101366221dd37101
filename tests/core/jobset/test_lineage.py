"""Restarts that outlive a JobSet which is deleted and made again."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agent.core.jobset.advance import ended
from agent.core.jobset.choices import Choices, RestartBudget
from agent.core.jobset.lineage import NONE, EndedJobSet, Restarts, inherited_restarts
from agent.core.jobset.manifest import JobSetMemory
from agent.core.jobset.play import JobSetPlay
from tests.core.jobset.made import jobset, play

POLICY = {"maxRestarts": 2}
KEPT = Restarts(granted={("RestartJobSet", "b"): 2}, counted=2)
BEFORE = EndedJobSet(namespace="default", name="js", uid="1", failed=True, by_ttl=True, restarts=KEPT)


def again(of: JobSetPlay, uid: str, *, fresh: bool = False) -> JobSetPlay:
    """The same JobSet, made again after it was deleted."""
    js = of.jobset
    before = ended(js, of.status, of.memory, by_ttl=of.gone)
    over = inherited_restarts(before, namespace=js.namespace, name=js.name, uid=uid, fresh=fresh)
    made = play(replace(js, uid=uid))
    made.memory = JobSetMemory(before=over)
    return made


def reason(of: JobSetPlay) -> str | None:
    return None if of.status.finished is None else of.status.finished.reason


def test_a_loop_by_ttl_does_not_start_from_zero() -> None:
    js = play(jobset(POLICY, ttlSecondsAfterFinished=60))
    for name in ("js-b-0", "js-b-1", "js-a-0"):
        js.fail(name)
    assert reason(js) == "ReachedMaxRestarts"
    js.pass_time(timedelta(seconds=60))
    assert js.gone

    second = again(js, "2")
    second.fail("js-a-0")
    assert reason(second) == "ReachedMaxRestarts"
    assert (second.status.restarts, second.memory.restarts.counted) == (0, 2)

    second.pass_time(timedelta(seconds=60))
    third = again(second, "3")
    assert third.memory.before == second.memory.restarts


def test_budgets_and_counts_that_are_left_go_on_with_the_next() -> None:
    budgets = (RestartBudget(limit=3, replicated_job="b"),)
    first = play(jobset({"maxRestarts": 9}, choices=Choices(budgets=budgets), ttlSecondsAfterFinished=0))
    first.fail("js-b-0")
    first.fail("js-b-0")
    second = JobSetPlay(jobset=first.jobset, now=first.now, memory=JobSetMemory(before=first.memory.restarts))
    second.settle()
    second.fail("js-b-1")
    assert reason(second) is None

    second.fail("js-b-1")
    assert reason(second) == "RestartBudgetExhausted"


@pytest.mark.parametrize(
    ("before", "fresh", "over"),
    [
        (BEFORE, False, KEPT),
        (None, False, NONE),
        (BEFORE, True, NONE),
        (replace(BEFORE, failed=False), False, NONE),
        (replace(BEFORE, by_ttl=False), False, NONE),
        (replace(BEFORE, name="other"), False, NONE),
        (replace(BEFORE, namespace="other"), False, NONE),
        (replace(BEFORE, uid="2"), False, NONE),
    ],
    ids=["loop", "first", "asked", "succeeded", "by people", "other name", "other namespace", "itself"],
)
def test_what_is_taken_over(before: EndedJobSet | None, over: Restarts, *, fresh: bool) -> None:
    assert inherited_restarts(before, namespace="default", name="js", uid="2", fresh=fresh) == over


def test_restarts_add_up() -> None:
    some = NONE.followed_by("RestartJobSet", "a", counts=True).followed_by("RestartJob", None, counts=False)
    both = some.plus(some)

    assert (both.total, both.counted) == (4, 2)
    assert (both.charged("RestartJobSet", None), both.charged(None, "a"), both.charged("RestartJob", "a")) == (2, 2, 0)
