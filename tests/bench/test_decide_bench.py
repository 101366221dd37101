"""The benchmark of decisions: every contest decides as it should, and its targets can be missed."""

import pytest

from agent.core.limit import VerdictAction
from bench.decide import LENGTHS, SIZES, Figures, contest, history, medians, policies, table, verdicts


def round_of(*, cost: float, growth: float) -> Figures:
    return {(*size, runs): cost * (growth if runs == LENGTHS[-1] else 1.0) for size in SIZES for runs in LENGTHS}


@pytest.mark.parametrize("size", SIZES)
def test_the_last_rule_of_the_last_policy_decides(size: tuple[int, int]) -> None:
    verdict = contest(size, LENGTHS[1]).judge()

    assert verdict.action is VerdictAction.RETRY
    assert len(verdict.explanation.not_applied) == size[0] * size[1] - 1


def test_policies_and_histories_are_as_long_as_they_say() -> None:
    assert [len(policy.rules) for policy in policies(3, 20).policies] == [20] * 3
    assert [(history(runs).runs, history(runs).retries) for runs in LENGTHS] == [(runs, runs) for runs in LENGTHS]


@pytest.mark.parametrize(
    ("cost", "growth", "met"),
    [(19.0, 1.2, [True] * 3), (21.0, 1.0, [False, True, True]), (1.0, 2.0, [True, False, False])],
)
def test_a_target_is_met_or_missed(cost: float, growth: float, met: list[bool]) -> None:
    rounds = [round_of(cost=cost, growth=growth)] * 3

    assert [figure.share >= 1 for figure in verdicts(rounds)] == met
    assert len(table(medians(rounds)).splitlines()) == 1 + len(SIZES) * len(LENGTHS)
