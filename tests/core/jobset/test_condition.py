"""Conditions of a JobSet: when they are added, change, keep their time, and make events."""

from datetime import timedelta

from agent.core.jobset.condition import ConditionUpdate, restarted, restarting, startup
from tests.core.jobset.made import NOW

LATER = NOW + timedelta(hours=1)


def test_a_condition_that_is_not_there_is_not_added_as_false() -> None:
    assert ConditionUpdate().set(restarted("JobsReady", "all jobs are ready", now=NOW)) == ConditionUpdate()


def test_a_condition_keeps_its_time_while_its_status_stays() -> None:
    first = ConditionUpdate().set(restarting(None, "one", now=NOW))
    again = first.set(restarting("r", "two", now=LATER))
    over = again.set(restarted("JobsReady", "all jobs are ready", now=LATER))

    assert [(condition.reason, condition.at) for condition in again.conditions] == [("FailurePolicy_r", NOW)]
    assert [(condition.status, condition.at) for condition in over.conditions] == [("False", LATER)]


def test_an_unchanged_condition_sends_no_event() -> None:
    once = ConditionUpdate().set(restarting("r", "one", now=NOW))

    assert once.set(restarting("r", "one", now=LATER)) == once
    assert [event.reason for event in once.events] == ["FailurePolicy_r"]


def test_a_startup_is_in_progress_or_completed() -> None:
    said = ConditionUpdate().set(startup(done=False, now=NOW)).set(startup(done=True, now=LATER))

    assert [(condition.type, condition.status) for condition in said.conditions] == [
        ("StartupPolicyInProgress", "False"),
        ("StartupPolicyCompleted", "True"),
    ]
