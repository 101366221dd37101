"""A person asked that a job is not retried again."""

from dataclasses import replace

import pytest

from agent.core.decision.explanation_text import headline
from agent.core.decision.never_retry import forbid_retry
from agent.core.decision.next_step import retries
from agent.core.decision.verdict import Verdict
from agent.core.history import History
from agent.core.limit import Charge, Reason, VerdictAction
from tests.core.decision.test_proposal import CRASH, ON, OOM, verdict
from tests.core.retry.builders import RUN


def granted() -> Verdict:
    found = verdict(OOM, {"rules": [{"name": "oom", "retryLimit": 3, "onConditions": ["OOMKilled"]}]})
    assert found.action is VerdictAction.RETRY
    return found


def test_a_retry_becomes_a_fail_that_says_why() -> None:
    forbidden = forbid_retry(granted())

    assert (forbidden.action, forbidden.reason) == (VerdictAction.FAIL, Reason.NEVER_RETRY)
    assert "but never-retry was requested for the job" in headline(forbidden.explanation)
    assert retries(forbidden.explanation).endswith("but never-retry was requested for the job")


def test_the_terms_of_the_retry_are_gone() -> None:
    forbidden = forbid_retry(granted())

    assert (forbidden.not_before, forbidden.mutation, forbidden.avoid_nodes) == (None, None, ())
    assert forbidden.explanation.ledger is None


def test_it_counts_as_a_run_and_not_as_a_retry() -> None:
    forbidden = forbid_retry(granted())

    history = History().followed_by(forbidden.granted_under, past=forbidden.past)

    assert (history.runs, history.retries, dict(history.charged)) == (1, 0, {})
    assert granted().past.charge is Charge.OOM


def test_without_policies_the_reason_comes_first() -> None:
    off = verdict(CRASH, settings=replace(ON, enabled=False), run=replace(RUN, returned=True))

    assert off.action is VerdictAction.RETRY
    assert headline(forbid_retry(off).explanation) == "Fail: never-retry was requested for the job"


@pytest.mark.parametrize("rows", [[], [{"defaultAction": "Fail"}]])
def test_what_fails_anyway_fails_for_its_own_reason(rows: list[dict[str, object]]) -> None:
    found = verdict(CRASH, *rows)

    assert forbid_retry(found) is found
