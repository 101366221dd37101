"""Rules are tried on what is stored, and say how far they got."""

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agent.console.inputs import Input
from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.evidence import LogTail
from agent.core.failure import Failure
from agent.core.run_event import Amendment
from agent.core.summary.internal import INTERNAL_CATEGORY
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser
from agent.evaluate.labelled import read_labelled
from agent.lookout.query.columns import FAILURES
from agent.lookout.query.question import read_question
from agent.lookout.query.reader import Reader
from agent.lookout.query.refusal import Refused
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.query.trial import EXAMPLES, TrialResult, _said, evidence_of, try_rules
from agent.lookout.store.recording import record
from agent.lookout.store.text_index import INDEX, POSTGRES_INDEX
from agent.patterns import BacktrackingSearches
from agent.rule_files import read_text
from agent.store.store import Store
from tests.lookout.query.test_reader import counting
from tests.store.events import START, event, failed

RULES = """\
errorCategories:
- name: killed
  rules:
  - subcategory: by-kernel
    onExitCodes: {operator: In, values: [137]}
"""
UNSEEN = Path("tests/evaluate/unseen")


def never() -> bool:
    return False


def tried(
    store: Store, *items: tuple[str, str], rules: str = RULES, most: int = 1_000, is_over: Callable[[], bool] = never
) -> Mapping[str, Any]:
    question = read_question(FAILURES, items, now=START + timedelta(days=1))
    classifier = compile_rules(read_text(rules, name="text"), searches=BacktrackingSearches(clock=time.monotonic))
    with Reader(store).reading(EVERYTHING) as reading:
        result = try_rules(classifier, reading, question, most=most, is_over=is_over)
    TrialResult.model_validate(result)
    return result


@pytest.fixture
def stored(database: Store) -> Store:
    """Failures by memory, one of them amended, and one that is none of a rule's."""
    with database.write() as connection:
        record(
            connection,
            [
                *(event(f"e{at}", failed(), run=f"run-{at}", job="job-1", after=at) for at in range(EXAMPLES + 200)),
                event("a0", Amendment(amends="e0", failure=failed()), run="run-0", job="job-1"),
            ],
        )
    return database


def test_it_says_what_would_change(stored: Store) -> None:
    found = tried(stored)

    assert (found["tried"], found["changed"], found["stopped"]) == (EXAMPLES + 200, EXAMPLES + 200, None)
    assert (found["earliest"], found["withoutLogs"]) == (START, EXAMPLES + 200)
    assert [(name["category"], name["before"], name["after"]) for name in found["counts"]] == [
        ("killed/by-kernel", 0, EXAMPLES + 200),
        (found["examples"][0]["before"]["category"], EXAMPLES + 200, 0),
    ]
    assert len(found["examples"]) == EXAMPLES
    latest = found["examples"][0]
    assert (latest["runId"], latest["after"]["category"]) == (f"run-{EXAMPLES + 199}", "killed/by-kernel")
    assert "137" in latest["after"]["deciding"]


def test_only_what_is_asked_for_is_tried(stored: Store) -> None:
    assert tried(stored, ("runId", "run-7"))["tried"] == 1
    assert tried(stored, ("queue", "other"))["tried"] == 0


def test_it_stops_at_a_number_and_after_a_time(stored: Store) -> None:
    looks = count()

    assert [tried(stored, most=3)[name] for name in ("tried", "stopped")] == [3, "number"]
    found = tried(stored, is_over=lambda: next(looks) >= 5)
    assert [found[name] for name in ("tried", "stopped")] == [5, "time"]
    assert found["earliest"] == START + timedelta(seconds=EXAMPLES + 195)


def test_it_stops_when_the_database_has_no_time_left(stored: Store) -> None:
    looks, rules = count(), compile_rules(read_text(RULES, name="text"), searches=None)
    question = read_question(FAILURES, [], now=START + timedelta(days=1))
    with Reader(stored, seconds=0.5).reading(EVERYTHING) as reading:

        def is_over() -> bool:
            return next(looks) == 3 and reading.number(counting(10**9)) == 0

        found = try_rules(rules, reading, question, most=1_000, is_over=is_over)

    assert [found[name] for name in ("tried", "stopped")] == [3, "time"]


def test_it_says_of_how_many_a_pattern_took_too_long(database: Store) -> None:
    logged = replace(failed(), log_tails=(LogTail(container="main", text="a" * 5_000),))
    with database.write() as connection:
        record(connection, [event(f"e{at}", logged, run=f"run-{at}") for at in range(3)])
    slow = "onLogTail: {pattern: '(a|aa)+$x', engine: backtracking}"
    rules = RULES.replace("onExitCodes: {operator: In, values: [137]}", slow)

    assert [tried(database, rules=rules)[name] for name in ("tried", "timedOut")] == [3, 3]
    assert tried(database)["timedOut"] == 0


def unseen(classifier: Classifier) -> Iterator[tuple[str, Failure]]:
    """Failures as an agent with the shipped rules stores them."""
    diagnoser = Diagnoser(classifier=classifier, redactor=Redactor())
    for labelled in read_labelled([Input(path=file) for file in sorted(UNSEEN.glob("*.yaml"))]):
        failure = diagnoser.diagnose(labelled.subject, now=datetime.now(UTC)).failure
        if failure is not None and failure.classification.category != INTERNAL_CATEGORY:
            yield labelled.name, failure


def test_the_same_rules_say_the_same_of_what_is_stored() -> None:
    classifier = load_classifier(None)
    found = list(unseen(classifier))
    others = [
        name
        for name, failure in found
        if _said(classifier.classify(evidence_of(failure))) != _said(failure.classification)
    ]

    assert len(found) > 90
    assert others == []


def test_texts_are_not_searched_without_an_index(stored: Store) -> None:
    index = f"INDEX {POSTGRES_INDEX}" if stored.dialect == "postgresql" else f"TABLE {INDEX}"
    with stored.write() as connection:
        connection.exec_driver_sql(f"DROP {index}")
    with pytest.raises(Refused, match=r"keyLine\.contains: this database has no index"):
        tried(stored, ("keyLine.contains", "memory"))


def test_the_evidence_that_came_last_is_tried_whatever_the_clocks_say(database: Store) -> None:
    late = event("a0", Amendment(amends="e0", failure=failed()), run="run-0", job="job-1", after=-9)
    with database.write() as connection:
        record(connection, [event("e0", failed(), run="run-0", job="job-1"), late])

    assert [example["failureId"] for example in tried(database)["examples"]] == ["a0"]


def test_the_earliest_is_said_in_whatever_order_failures_are_tried(stored: Store) -> None:
    assert tried(stored, ("sort", "failedAt"))["earliest"] == START
