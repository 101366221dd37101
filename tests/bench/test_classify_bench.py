"""The benchmark of classification: its classifiers agree, and its targets can be missed."""

import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import Order
from bench.classify import JSON_AT, QUICK_RATIOS, SIZES, Contest, Figures, medians, table, verdicts, weighing_verdicts
from bench.peer.go_classifier import GoClassifier
from bench.peer.program import CLASSIFY, find_peer
from bench.report.held import are_met
from bench.sample.documents import documents
from bench.sample.failures import HIT_EVERY, MESSAGE_BYTES, evidences, rule_set
from tests.servers.cache import Cache


def round_of(*, ours_least: float, ours_most: float, re_most: float, go: bool = False) -> dict[int, Figures]:
    figures = {
        number: {"ours_us": ours_least, "re_us": 1.0, "regex_us": 2.0, "ours_unseen_us": 3.0, "ours_json_us": 4.0}
        for number in SIZES
    }
    figures[SIZES[-1]] |= {"ours_us": ours_most, "re_us": re_most}
    if go:
        figures[100] |= {"go_us": 50 * ours_least, "go_json_us": 15 * 4.0}
        figures[500] |= {"go_us": 200 * ours_most}
    return dict(figures)


def test_all_classifiers_agree_and_each_is_timed() -> None:
    with ExitStack() as running:
        figures = Contest(10, go=None, running=running).round(0)

    assert list(figures) == ["ours_us", "re_us", "regex_us", "ours_unseen_us"]
    assert all(figure > 0 for figure in figures.values())


@pytest.fixture(scope="module", name="go")
def the_classifier_in_go(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = find_peer(CLASSIFY, Cache(tmp_path_factory.mktemp("go")))
    assert made is not None
    return made


@pytest.mark.slow
@pytest.mark.xdist_group("classifier-in-go")
@pytest.mark.skipif(shutil.which("go") is None, reason="there is no `go` on the PATH")
def test_the_classifier_in_go_agrees_and_is_timed(go: Path) -> None:
    with ExitStack() as running:
        figures = Contest(JSON_AT, go=go, running=running).round(0)

    assert {"go_us", "ours_json_us", "go_json_us"} <= figures.keys()
    assert all(figure > 0 for figure in figures.values())


@pytest.mark.slow
@pytest.mark.xdist_group("classifier-in-go")
@pytest.mark.skipif(shutil.which("go") is None, reason="there is no `go` on the PATH")
@pytest.mark.parametrize("seeds", [range(0, 20, 2), pytest.param(range(1, 20, 2), marks=pytest.mark.long)], ids=str)
def test_in_file_order_the_first_category_is_that_of_armadas_classifier(go: Path, seeds: range) -> None:
    """A law over drawn files and failures; in the order of the evidence the same rules match, in another order."""
    for seed in seeds:
        rules = rule_set(5 + 20 * seed, seed=seed)
        seen = evidences(150, rules=rules, seed=seed + 1)
        by_file, by_evidence = compile_rules(rules), compile_rules(replace(rules, order=Order.EVIDENCE))
        with GoClassifier(go, rules, documents(seen, seed=seed)) as peer:
            assert [by_file.classify(evidence).category for evidence in seen] == peer.answers
        for evidence in seen:
            weighed = by_evidence.classify(evidence)
            found = {*weighed.categories, *(refused.match.category for refused in weighed.hypotheses)}
            assert found == set(by_file.classify(evidence).categories)


def test_without_go_the_peer_is_left_out_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_peer(CLASSIFY, Cache(tmp_path)) is None
    assert "no `go` on the PATH" in capsys.readouterr().out


@pytest.mark.parametrize("number", [100, 500])
def test_a_target_relative_to_go_is_met_or_missed(number: int) -> None:
    good = round_of(ours_least=10, ours_most=15, re_most=900, go=True)
    slow = {**good, number: {**good[number], "go_us": good[number]["go_us"] * 0.98}}

    assert are_met(verdicts([good]), 1.0)
    assert len(verdicts([good])) == 5
    assert len(verdicts([good], QUICK_RATIOS)) == 4
    assert sum(figure.share < 1 for figure in verdicts([slow])) == 1


def test_a_shape_is_held_by_what_all_numbers_of_rules_take_together() -> None:
    (short, long) = weighing_verdicts({"short": [1.2, 1.7, 1.3, 1.4], "long": [1.6, 1.7, 1.3, 1.6]})

    assert (short.name, short.share >= 1) == ("order: evidence beside order: file, short", True)
    assert (long.name, long.share >= 1) == ("order: evidence beside order: file, long", False)


def test_the_sample_is_what_it_says() -> None:
    rules = rule_set(100, seed=1)
    seen = evidences(140, rules=rules, seed=2)
    classify = compile_rules(rules).classify

    messages = {
        container.ended.message
        for evidence in seen
        for container in evidence.pod.containers[:1]
        if container.ended is not None
    }
    assert len(messages) == 140
    assert {len(message) for message in messages} == {MESSAGE_BYTES}
    assert sum(classify(evidence).matched for evidence in seen) == 140 // HIT_EVERY


@pytest.mark.parametrize(
    ("most", "re_most", "met"),
    [(24.0, 2400.0, [True, True]), (26.0, 2600.0, [False, True]), (24.0, 900.0, [True, False])],
)
def test_a_target_is_met_or_missed(most: float, re_most: float, met: list[bool]) -> None:
    rounds = [round_of(ours_least=10.0, ours_most=most, re_most=re_most)] * 3

    assert [figure.share >= 1 for figure in verdicts(rounds)] == met


def test_one_bad_round_does_not_decide() -> None:
    good, bad = round_of(ours_least=10, ours_most=15, re_most=900), round_of(ours_least=10, ours_most=90, re_most=900)

    assert are_met(verdicts([good, bad, good]), 1.0)
    assert medians([good, bad, good])[SIZES[-1]]["ours_us"] == 15
    assert f"{SIZES[-1]}      15.0" in table(medians([bad, good, good]))
