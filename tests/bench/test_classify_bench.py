"""The benchmark of classification: its classifiers agree, and its targets can be missed."""

import pytest

from agent.core.classify.classifier import compile_rules
from bench.classify import SIZES, Contest, Figures, medians, table, verdicts
from bench.sample.failures import HIT_EVERY, MESSAGE_BYTES, evidences, rule_set


def round_of(*, ours_least: float, ours_most: float, re_most: float) -> dict[int, Figures]:
    figures = {
        number: {"ours_us": ours_least, "re_us": 1.0, "regex_us": 2.0, "ours_unseen_us": 3.0} for number in SIZES
    }
    figures[SIZES[-1]] |= {"ours_us": ours_most, "re_us": re_most}
    return dict(figures)


def test_all_classifiers_agree_and_each_is_timed() -> None:
    figures = Contest(10).round(0)

    assert list(figures) == ["ours_us", "re_us", "regex_us", "ours_unseen_us"]
    assert all(one > 0 for one in figures.values())


def test_the_sample_is_what_it_says() -> None:
    rules = rule_set(100, seed=1)
    seen = evidences(140, rules=rules, seed=2)
    classify = compile_rules(rules).classify

    messages = {one.ended.message for evidence in seen for one in evidence.pod.containers[:1] if one.ended is not None}
    assert len(messages) == 140
    assert {len(message) for message in messages} == {MESSAGE_BYTES}
    assert sum(classify(evidence).matched for evidence in seen) == 140 // HIT_EVERY


@pytest.mark.parametrize(
    ("most", "re_most", "met"),
    [(24.0, 2400.0, [True, True]), (26.0, 2600.0, [False, True]), (24.0, 900.0, [True, False])],
)
def test_a_target_is_met_or_missed(most: float, re_most: float, met: list[bool]) -> None:
    rounds = [round_of(ours_least=10.0, ours_most=most, re_most=re_most)] * 3

    assert list(verdicts(rounds).values()) == met


def test_one_bad_round_does_not_decide() -> None:
    good, bad = round_of(ours_least=10, ours_most=15, re_most=900), round_of(ours_least=10, ours_most=90, re_most=900)

    assert all(verdicts([good, bad, good]).values())
    assert medians([good, bad, good])[SIZES[-1]]["ours_us"] == 15
    assert str(SIZES[-1]) in table(medians([good])).splitlines()[-1]
