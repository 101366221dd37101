"""Failures written from public reports, with the right answers, for ``failctl evaluate tests/evaluate/reports/*.yaml``.

No rule was written from them: they show what the rules make of failures that their authors have not seen. Each file is
one kind. Of a report a row has the texts, codes and reasons that it quotes. What it does not quote is written as the
system writes it, and ``inferred`` lists it. Beside what ``failctl evaluate`` reads, a row has:

- ``was``: what it was, in one line. ``nearest``: no leaf says exactly this; the label is the nearest;
- ``labels.state``: ``failed``, ``waits`` or ``not-known``; ``labels.waitsFor`` for what it waits;
- ``labels.grade``: how sure an answer may be. ``proven``: the same input fails again, or the system itself names the
  cause. ``likely``: the evidence says so, but it is also written of other failures. ``unknown``: it says nothing.

``retryable`` says whether an unchanged retry helps, ``null`` if the report does not tell. Where nothing failed, it is
``null``, the origin is ``unknown``, and there is no grade.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent.console.inputs import inputs
from agent.core.failure import Origin
from agent.core.failure_text.category import leaf
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier, load_rules
from agent.diagnose.diagnosis import Diagnoser, State
from agent.evaluate.labelled import answer, read_labelled
from agent.evaluate.scores import NOT_KNOWN, WAITING
from agent.observe.waiting.wait import Waiting, WaitKind
from tests.ground.findings import assert_no_findings
from tests.tables import table

Row = Mapping[str, Any]

FILES = sorted(Path(__file__).with_name("reports").glob("*.yaml"))
KINDS = {file.stem: table(file)["items"] for file in FILES}
ROWS: list[Row] = [row for rows in KINDS.values() for row in rows]
RULES = load_rules(None)
LEAVES = {leaf(category.name, rule.subcategory) for category in RULES.categories for rule in category.rules}
UNFAILED_LEAVES = {State.WAITS: WAITING, State.NOT_KNOWN: NOT_KNOWN}
THREAD = re.compile(r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/(?:issues|pull|discussions)/(?P<number>\d+)")
FEWEST = 10


def wrong_labels(row: Row) -> Iterator[str]:
    """What the labels of a row must not say together."""
    labels = row["labels"]
    state, grade, retryable = labels["state"], labels["grade"], labels["retryable"]
    if state == "failed":
        if labels["category"] not in LEAVES:
            yield f"{row['id']}: no rule names {labels['category']}"
        if grade not in {"proven", "likely", "unknown"}:
            yield f"{row['id']}: grade {grade}"
        if grade == "proven" and retryable is None:
            yield f"{row['id']}: it is proven, yet not known whether a retry helps"
        if grade == "unknown" and labels["origin"] != Origin.UNKNOWN:
            yield f"{row['id']}: nothing is known, yet {labels['origin']} is blamed"
    elif labels["category"] != UNFAILED_LEAVES.get(state):
        yield f"{row['id']}: state {state} with {labels['category']}"
    elif (labels["origin"], retryable, grade) != (Origin.UNKNOWN, None, None):
        yield f"{row['id']}: nothing failed, so nobody is to blame and there is nothing to retry"
    if (labels.get("waitsFor", {}).get("kind") in set(WaitKind)) != (state == "waits"):
        yield f"{row['id']}: state {state} waits for {labels.get('waitsFor')}"


def wrong_sources(row: Row) -> Iterator[str]:
    """Why a row's source is none that a reader can open and that the rules do not know."""
    thread = THREAD.fullmatch(row["source"])
    if thread is None:
        yield f"{row['id']}: {row['source']} is no public thread"
        return
    names = re.compile(rf"{re.escape(thread['repository'])}(?:#|/(?:issues|pull|discussions)/){thread['number']}\b")
    for category in RULES.categories:
        for rule in category.rules:
            if any(names.search(source) or source == f"corpus:{row['id']}" for source in rule.sources):
                yield f"{row['id']}: rule {rule.name} was written from it"


def test_every_row_can_be_read() -> None:
    read = [labelled.name for labelled in read_labelled(inputs(FILES))]

    assert read == [row["id"] for row in ROWS]
    assert len(set(read)) == len(read)


def test_every_row_says_what_it_was_and_what_was_inferred() -> None:
    assert_no_findings(lambda row: [f"{row['id']}: {key}" for key in ("was", "inferred") if not row.get(key)], ROWS)


def test_every_row_cites_a_public_thread_that_no_rule_was_written_from() -> None:
    assert_no_findings(wrong_sources, ROWS)
    assert len({row["source"] for row in ROWS}) == len(ROWS)


def test_labels_agree_with_each_other() -> None:
    assert_no_findings(wrong_labels, ROWS)


def test_each_kind_has_enough_rows() -> None:
    few = {kind: len(rows) for kind, rows in KINDS.items() if len(rows) < FEWEST}

    assert (len(KINDS), few) == (4, {})


def test_half_of_what_looks_hopeless_is_hopeless() -> None:
    hopeless = [row["labels"]["retryable"] is False for row in KINDS["never"]]

    assert (hopeless.count(True), hopeless.count(False)) == (5, 5)


def test_a_pod_that_waits_is_neither_healthy_nor_a_failure() -> None:
    """Of these rows nothing is a matter of rules, so that none may be wrong."""
    classifier, redactor = load_classifier(None), Redactor()
    diagnoser = Diagnoser(classifier=classifier, redactor=redactor)
    rows = {row["id"]: row["labels"] for row in KINDS["waits"]}
    for labelled in read_labelled(inputs([file for file in FILES if file.stem == "waits"])):
        case = answer(labelled, classifier, redactor)
        wait = diagnoser.diagnose(labelled.subject, now=datetime.now(UTC)).wait
        found = {"kind": wait.kind, "name": wait.name} if isinstance(wait, Waiting) else None
        label = rows[labelled.name]

        assert (case.right, case.answer.state, found) == (True, label["state"], label.get("waitsFor")), labelled.name
