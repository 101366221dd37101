"""Which failures have the same fingerprint: the groups beside this file, and that order does not matter."""

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.evidence import Evidence
from agent.core.failure import DetailKey
from agent.core.summary.fingerprint import (
    _CHANGING,
    _LONGEST,
    _QUOTED,
    _REMARK,
    _WORD,
    VERSION,
    fingerprint,
    masked,
)
from agent.shipped import RULES, shipped
from tests.config.subjects import checked
from tests.core import strategies
from tests.core.classify.tables import evidence_of
from tests.tables import table

GROUPS: dict[str, list[Any]] = table(Path(__file__).with_name("fingerprints.yaml"))


@cache
def classifier() -> Classifier:
    return compile_rules(checked(shipped(RULES)).value_or_raise())


def evidence_in(row: Any) -> Evidence:  # noqa: ANN401 - a text, or a row of a table
    if isinstance(row, str):
        row = {"seen": {"containers": [{"name": "main", "ended": {"reason": "Error", "exit_code": 1, "message": row}}]}}
    return evidence_of(row["seen"])


def fingerprint_of(evidence: Evidence) -> str:
    return fingerprint(evidence, classifier().classify(evidence))


@pytest.mark.parametrize("name", GROUPS)
def test_failures_of_a_group_have_one_fingerprint(name: str) -> None:
    found = {fingerprint_of(evidence_in(row)) for row in GROUPS[name]}

    assert len(found) == 1
    assert found.pop().startswith(f"{VERSION}:")


def test_failures_of_different_groups_have_different_ones() -> None:
    of_group = {name: fingerprint_of(evidence_in(rows[0])) for name, rows in GROUPS.items()}

    assert [pair for pair in combinations(GROUPS, 2) if of_group[pair[0]] == of_group[pair[1]]] == []
    assert len(GROUPS) > 1


@given(strategies.evidence(), st.randoms(use_true_random=False))
def test_the_order_of_containers_events_and_conditions_does_not_matter(evidence: Evidence, random: Any) -> None:  # noqa: ANN401 - hypothesis' own
    def shuffled(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(random.sample(items, len(items)))

    names = [container.name for container in evidence.pod.containers]
    if len(set(names)) < len(names):
        return
    pod = replace(
        evidence.pod,
        containers=shuffled(evidence.pod.containers),
        conditions=shuffled(evidence.pod.conditions),
    )
    classification = classifier().classify(evidence)
    other = replace(evidence, pod=pod, events=shuffled(evidence.events))

    assert fingerprint(other, classification) == fingerprint(evidence, classification)


def test_what_differs_from_run_to_run_is_left_out() -> None:
    line = "worker-7f9c4d-x2k: cannot open /data/a.tar for 'alice' at 10.0.0.1:80 (attempt 3): disk is full"

    assert masked(line) == ["cannot", "open", "for", "at", "disk", "is", "full"]


def test_the_name_of_a_quota_does_not_make_another_failure() -> None:
    assert [key.value for key in DetailKey if not key.fingerprinted] == ["quota", "claim", "rank", "device"]


def words_by_patterns(line: str) -> list[str]:
    """As ``masked``, but for each pattern over the whole line."""
    plain = _REMARK.sub(" ", _QUOTED.sub(" ", line[:_LONGEST]))
    return _WORD.findall(" ".join(word for word in plain.split() if not _CHANGING.search(word)))


@given(
    st.lists(st.text(max_size=6) | st.sampled_from(["a", "x.y", "'b c'", "(d e)", "n7", "\u2018f\u2019"])).map(" ".join)
)
def test_words_are_those_that_the_patterns_find_in_the_line(line: str) -> None:
    assert masked(line) == words_by_patterns(line)
