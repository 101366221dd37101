"""What is known of a failure can be written as a bundle, of which the same is known again."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from agent.console.inputs import Input
from agent.core.evidence import Pod
from agent.core.failure import Failure
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.bundle import bundle
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.subject import Subject, read_subject
from agent.evaluate.labelled import read_labelled

NOW = datetime(2026, 11, 26, tzinfo=UTC)


@pytest.fixture(scope="module")
def diagnoser() -> Diagnoser:
    return Diagnoser(classifier=load_classifier(None), redactor=Redactor())


def subjects() -> Iterator[Subject]:
    """Pods of public reports."""
    for labelled in read_labelled([Input(path=file) for file in sorted(Path("tests/evaluate/unseen").glob("*.yaml"))]):
        if labelled.subject.pod is not None:
            yield labelled.subject


def test_what_is_read_again_is_the_same(diagnoser: Diagnoser) -> None:
    compared = 0
    for subject in subjects():
        first = diagnoser.diagnose(subject, now=NOW)
        if first.failure is not None:
            second = again(diagnoser, first.failure, node=first.node)
            assert said(second) == said(first.failure)
            assert second.pod == without_uid(first.failure.pod)
            compared += 1

    assert compared > 80


def without_uid(pod: Pod) -> Pod:
    """As it is read from a bundle: that nobody starts it again is known of a pod with a uid only."""
    return pod if pod.controller else replace(pod, controller=None)


def said(failure: Failure) -> tuple[object, ...]:
    """What people read; among what else is said are signs that a redacted text no longer has."""
    found = failure.classification
    return found.category, found.subcategory, found.origin, found.advice, found.grade


def again(diagnoser: Diagnoser, failure: Failure, *, node: str) -> Failure:
    """The failure that is read from the bundle of another."""
    written = json.dumps(bundle(failure, namespace="jobs", name="p", node=node))
    found = diagnoser.diagnose(read_subject(json.loads(written)), now=NOW).failure
    assert found is not None
    return found
