"""Every way in which a pod can be in trouble, through the state machine, the evidence and the shipped rules."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any

import msgspec
import pytest

from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.evidence import Evidence
from agent.core.failure import IN_RUN, Failure
from agent.core.summary.redaction import Redactor
from agent.core.summary.submission import UNKNOWN
from agent.core.summary.summary import summarise
from agent.kube import objects
from agent.observe.deadlines import Deadlines
from agent.observe.entry import PodEntry, due
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.observe.occurrence import Occurred, observe
from agent.shipped import RULES, shipped
from tests.config.subjects import checked
from tests.observe.pods import NOW, pod
from tests.observe.rows import Row, SeenPod, read_rows

ROWS = read_rows()


@cache
def rules() -> Classifier:
    return compile_rules(checked(shipped(RULES)).value_or_raise())


def seen(look: SeenPod) -> objects.Pod | None:
    return (
        None
        if look.pod is None
        else pod(look.pod.get("status"), **{k: v for k, v in look.pod.items() if k != "status"})
    )


def play(row: Row) -> tuple[list[Occurred], objects.Pod]:
    """All that is told of the row's pod, and the pod as it was seen last."""
    deadlines = replace(Deadlines(), **{name: timedelta(seconds=given) for name, given in row.deadlines.items()})
    entry: PodEntry | None = None
    told: list[Occurred] = []
    last = objects.Pod()
    for look in row.looks:
        now, found = NOW + timedelta(seconds=look.at), seen(look)
        entry, occurred = observe(entry, found, deleted=look.deleted, now=now, deadlines=deadlines)
        told += occurred
        last = found or last
    return told, last


def failure(row: Row, occurred: Occurred, last: objects.Pod) -> Failure:
    evidence: Evidence = read_evidence(
        last,
        occurrence=occurred.occurrence,
        container=occurred.container if occurred.occurrence in IN_RUN else None,
        events=read_events(msgspec.convert(list(row.events), list[objects.Event])),
    )
    given = rules().classify(evidence)
    return summarise(evidence, given, occurrence=occurred.occurrence, submitted=UNKNOWN, redactor=Redactor())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_occurrences_of_a_pod(row: Row) -> None:
    told, last = play(row)

    assert [event.occurrence.value for event in told] == list(row.told)
    if told:
        assert words(row, failure(row, told[-1], last), told[-1]) == row.last


def words(row: Row, failed: Failure, occurred: Occurred) -> dict[str, Any]:
    """What the row speaks of."""
    given = failed.classification
    category = "/".join(filter(None, (given.category, given.subcategory)))
    said = {"container": occurred.container, "category": category, "categories": list(given.categories)}
    return {name: said[name] for name in row.last}


@pytest.mark.parametrize("row", [row for row in ROWS if len(row.looks) > 1], ids=lambda row: row.name)
def test_what_only_time_brings_is_looked_for_at_its_time(row: Row) -> None:
    """Where a look without news tells something, the look before had said when to look again, and not before."""
    deadlines = replace(Deadlines(), **{name: timedelta(seconds=given) for name, given in row.deadlines.items()})
    entry: PodEntry | None = None
    for number, look in enumerate(row.looks):
        now, before = NOW + timedelta(seconds=look.at), entry
        entry, occurred = observe(before, seen(look), deleted=look.deleted, now=now, deadlines=deadlines)
        news = number == 0 or look.deleted or look.pod is not row.looks[number - 1].pod
        if occurred and not news:
            assert before is not None
            assert (expected := due(before)) is not None
            assert expected <= now


def test_every_occurrence_that_is_observed_has_a_row() -> None:
    assert {occurrence for row in ROWS for occurrence in row.told} == {
        "container-restarted",
        "deadline-exceeded",
        "deleted-externally",
        "missing",
        "never-started",
        "pod-failed",
        "stuck-terminating",
    }
