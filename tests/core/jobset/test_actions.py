"""Every action, where its rule is about all Jobs, about the one that failed, and about another replicated job's."""

import pytest

from agent.core.jobset.child import JOB_RESTART_ATTEMPT, RESTART_ATTEMPT
from agent.core.jobset.words import ACTIONS, RECREATE_JOB
from tests.core.jobset.made import jobset, play

RESTARTED_BY_DEFAULT = ("", 1, 1, None, None)

EXPECTED = {
    "FailJobSet": ("FailJobSetFailurePolicyAction", 0, 0, None, None),
    "RestartJobSet": RESTARTED_BY_DEFAULT,
    "RestartJobSetAndIgnoreMaxRestarts": ("", 1, 0, None, None),
    "RestartJob": ("", 0, 0, (1, 0), (1, 0)),
    "RestartJobAndIgnoreMaxRestarts": ("", 0, 0, (1, 0), None),
    "RecreateJob": ("", 0, 0, (1, 0), (1, 0)),
}
"""Why it ended, restarts, those that count, and the same of the Jobs of ``b`` alone."""


@pytest.mark.parametrize("targets", [[], ["b"], ["a", "b"], ["a"]], ids=["all", "targeted", "both", "another"])
@pytest.mark.parametrize("action", [*ACTIONS, RECREATE_JOB])
def test_an_action_is_taken_where_its_rule_is_about_the_job(action: str, targets: list[str]) -> None:
    policy = {"maxRestarts": 1, "rules": [{"name": "r", "action": action, "targetReplicatedJobs": targets}]}
    js = play(jobset(policy))
    js.fail("js-b-0", reason="BackoffLimitExceeded")

    over, of_b = js.status.finished, js.status.replicated("b")
    assert of_b is not None
    got = (
        "" if over is None else over.reason,
        js.status.restarts,
        js.status.restarts_counted,
        of_b.job_restarts,
        of_b.job_restarts_counted,
    )
    assert got == (RESTARTED_BY_DEFAULT if targets == ["a"] else EXPECTED[action])


@pytest.mark.parametrize(
    ("action", "attempts"),
    [
        ("RestartJobSet", {"js-a-0": ("1", "0"), "js-b-0": ("1", "0"), "js-b-1": ("1", "0")}),
        ("RestartJobSetAndIgnoreMaxRestarts", {"js-a-0": ("1", "0"), "js-b-0": ("1", "0"), "js-b-1": ("1", "0")}),
        ("RestartJob", {"js-a-0": ("0", "0"), "js-b-0": ("0", "1"), "js-b-1": ("0", "0")}),
        ("RestartJobAndIgnoreMaxRestarts", {"js-a-0": ("0", "0"), "js-b-0": ("0", "1"), "js-b-1": ("0", "0")}),
    ],
)
def test_jobs_that_each_action_creates_again(action: str, attempts: dict[str, tuple[str, str]]) -> None:
    js = play(jobset({"maxRestarts": 1, "rules": [{"action": action}]}))
    js.complete("js-a-0")
    js.fail("js-b-0")

    got = {
        name: (child.labels[RESTART_ATTEMPT], child.labels[JOB_RESTART_ATTEMPT]) for name, child in js.children.items()
    }
    assert got == attempts


@pytest.mark.parametrize("reason", ["BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes"])
def test_a_rule_is_about_its_reasons_and_messages_only(reason: str) -> None:
    rules = [
        {
            "action": "FailJobSet",
            "onJobFailureReasons": ["DeadlineExceeded", "FailedIndexes"],
            "onJobFailureMessagePatterns": ["(", "index [0-9]+"],
        }
    ]
    told = {"DeadlineExceeded": "took too long", "FailedIndexes": "Job has failed index 12"}
    js = play(jobset({"maxRestarts": 1, "rules": rules}))
    js.fail("js-b-0", reason=reason, message=told.get(reason, "index 7"))

    assert (js.status.finished is not None) is (reason == "FailedIndexes")


def test_the_events_and_conditions_of_a_course() -> None:
    js = play(jobset({"maxRestarts": 1, "rules": [{"name": "again", "action": "RestartJobSet"}]}))
    turns = js.fail("js-b-0") + js.make_ready(list(js.children)) + js.fail("js-b-1")
    told = [(event.type, event.reason, event.message) for turn in turns for event in turn.step.events]

    restart = "applying RestartJobSet failure policy action (first failed job: js-b-0)"
    end = "jobset failed due to reaching max number of restarts (first failed job: js-b-1)"
    assert told == [
        ("Warning", "RestartJobSetFailurePolicyAction", restart),
        ("Normal", "JobsReady", "all jobs are ready"),
        ("Warning", "ReachedMaxRestarts", end),
        ("Normal", "JobSetFailed", "jobset failed"),
    ]
    assert [(condition.type, condition.status, condition.reason) for condition in js.status.conditions] == [
        ("RestartingJobSet", "False", "JobSetFailed"),
        ("Failed", "True", "ReachedMaxRestarts"),
    ]
