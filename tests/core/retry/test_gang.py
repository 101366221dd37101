from datetime import timedelta
from typing import Any

import pytest

from agent.core.decision.decide import decide_gang
from agent.core.history import History
from agent.core.limit import VerdictAction
from agent.core.retry.gang import Member, choose_member, settles_at, specificity
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, RUN, effective, failure

SETTLE = timedelta(seconds=5)
OOM: dict[str, Any] = {"exitCode": 137, "reason": "OOMKilled"}
TERMINATED: dict[str, Any] = {"exitCode": 143, "reason": "Error"}


def member(run_id: str, container: dict[str, Any], *, finished: float, seen: float = 0, **more: Any) -> Member:
    at = NOW + timedelta(seconds=finished)
    told = failure({"containers": [{"name": "m", **container, "finishedAt": at}], **more})
    return Member(run_id=run_id, failure=told, occurred_at=at, observed_at=NOW + timedelta(seconds=seen))


def chosen(*members: Member) -> str:
    return choose_member(members, settle=SETTLE).member.run_id


def test_the_earliest_finished_is_judged_whatever_came_first() -> None:
    assert chosen(member("a", TERMINATED, finished=9), member("b", OOM, finished=7, seen=5)) == "b"


def test_a_member_finished_when_the_container_did_that_decides() -> None:
    first, after = ({"name": name, "exitCode": code} for name, code in (("main", 1), ("aside", 143)))
    ends = [{**after, "finishedAt": NOW + timedelta(seconds=9)}, {**first, "finishedAt": NOW + timedelta(seconds=5)}]
    told = Member(run_id="a", failure=failure({"containers": ends}), occurred_at=NOW, observed_at=NOW)

    assert told.finished_at == NOW + timedelta(seconds=5)
    assert specificity(told.failure) > specificity(failure({"containers": ends[:1]}))


def test_what_comes_after_the_gang_settled_is_not_waited_for() -> None:
    late = member("b", OOM, finished=1, seen=5.1)

    assert chosen(member("a", TERMINATED, finished=9), late) == "a"
    assert settles_at([late, member("a", OOM, finished=9)], settle=SETTLE) == NOW + SETTLE


def test_of_several_at_once_the_more_specific_is_judged_then_by_run_id() -> None:
    torn, own = member("a", TERMINATED, finished=7), member("b", OOM, finished=7)

    assert chosen(torn, own) == chosen(own, torn) == "b"
    assert chosen(member("d", OOM, finished=7), member("c", OOM, finished=7)) == "c"


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({}, {"reason": "Evicted"}),
        ({"reason": "Evicted"}, {"containers": [{"name": "m", **OOM}]}),
        ({"containers": [{"name": "m", **OOM}]}, {"containers": [{"name": "m", **OOM, "message": "why"}]}),
        ({"containers": [{"name": "m", **OOM, "message": "why"}]}, {"categories": ["cuda"]}),
        ({"categories": ["cuda"]}, {"categories": ["cuda"], "subcategory": "xid"}),
        ({"categories": ["internal"], "subcategory": "pod-missing"}, {"containers": [{"name": "m", **OOM}]}),
    ],
)
def test_what_tells_more_is_more_specific(less: dict[str, Any], more: dict[str, Any]) -> None:
    assert specificity(failure(less)) < specificity(failure(more))


def test_a_generation_gets_one_verdict_that_says_who_was_judged() -> None:
    members = [member("a", TERMINATED, finished=9), member("b", OOM, finished=7)]
    which, verdict = decide_gang(
        members,
        run=RUN,
        history=History(),
        policies=effective({"rules": [{"onConditions": ["OOMKilled"]}]}),
        settings=RetrySettings(enabled=True),
        now=NOW,
    )
    assert (which.run_id, verdict.action) == ("b", VerdictAction.RETRY)
    assert verdict.explanation.notes[-1] == "gang: run b is judged for 2 failed members: it finished first"
