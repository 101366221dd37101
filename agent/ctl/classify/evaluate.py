"""``failctl evaluate``: how well a rule file does on labelled failures."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from agent.console.columns import Column, heading, line
from agent.console.exits import Exit, UsageError
from agent.console.inputs import Input, inputs
from agent.console.options import Form
from agent.console.terminal import Progress
from agent.core.failure import Origin
from agent.core.failure_text.category import leaf
from agent.core.summary.redaction import Redactor
from agent.ctl.classify.diagnosis import Diagnoser, Diagnosis
from agent.ctl.classify.documents import Unreadable, read_documents
from agent.ctl.classify.rule_file import load_classifier
from agent.ctl.classify.scores import HEALTHY, Answer, Case, Label, Scores, score
from agent.ctl.classify.subject import NotASubject, read_subject
from agent.documents.grammar import LABELLED

_SHOWN_CONFUSIONS = 20
_LEAVES = (
    Column(heading="LEAF", width=34),
    Column(heading="RIGHT", width=5, right=True),
    Column(heading="CASES", width=5, right=True),
)
_CONFUSIONS = (Column(heading="LABEL", width=34), Column(heading="ANSWER", width=34), Column(heading="CASES"))


def run(files: Sequence[str | Path], *, rules: Path | None, output: Form, out: TextIO, err: TextIO) -> Exit:
    """Score every labelled failure in the files. Raises UsageError for one that cannot be read or has no label."""
    diagnoser = Diagnoser(classifier=load_classifier(rules), redactor=Redactor())
    cases = (case for one in inputs(files) for case in _cases(one, diagnoser))
    scores = score(list(Progress(err, noun="cases").counting(cases)))
    if output == "json":
        out.write(json.dumps(asdict(scores)) + "\n")
    else:
        out.writelines(line + "\n" for line in _table(scores))
    return Exit.FINE


def _cases(source: Input, diagnoser: Diagnoser) -> Iterator[Case]:
    with source.open() as stream:
        for document in read_documents(stream, grammar=LABELLED):
            if isinstance(document, Unreadable):
                raise UsageError(f"{source.name}: {document.place}: {document.problem}")
            try:
                yield _case(document.value, document.place, diagnoser)
            except (NotASubject, _NoLabel) as error:
                raise UsageError(f"{source.name}: {document.place}: {error}") from error


def _case(value: object, place: str, diagnoser: Diagnoser) -> Case:
    label = _label(value)
    diagnosis = diagnoser.diagnose(read_subject(value), now=datetime.now(UTC))
    name = value.get("id") if isinstance(value, Mapping) else None
    return Case(name=str(name or place), label=label, answer=_answer(diagnosis))


class _NoLabel(ValueError):
    """The object carries no label that can be read."""


def _label(value: object) -> Label:
    labels = value.get("labels") if isinstance(value, Mapping) else None
    if not isinstance(labels, Mapping):
        raise _NoLabel("no labels; expected labels: {category, origin, retryable}")
    category, origin, retryable = labels.get("category"), labels.get("origin"), labels.get("retryable")
    if not isinstance(category, str):
        raise _NoLabel("labels.category: expected category/subcategory as text")
    if origin not in list(Origin):
        raise _NoLabel(f"labels.origin: expected one of {', '.join(Origin)}, found {origin!r}")
    if retryable not in (True, False, None):
        raise _NoLabel(f"labels.retryable: expected true, false or null, found {retryable!r}")
    return Label(leaf=category, origin=Origin(origin), retryable=retryable)


def _answer(diagnosis: Diagnosis) -> Answer:
    failure = diagnosis.failure
    if failure is None:
        return Answer(leaf=HEALTHY, origin=Origin.PLATFORM, advice=None, classified=True)
    found = failure.classification
    return Answer(
        leaf=leaf(found.category, found.subcategory),
        origin=found.origin,
        advice=found.advice,
        classified=found.matched,
    )


def _table(scores: Scores) -> Iterator[str]:
    yield f"cases              {scores.cases}"
    yield f"leaf accuracy      {scores.leaf_accuracy:.1%}"
    yield f"category accuracy  {scores.category_accuracy:.1%}"
    yield f"origin accuracy    {scores.origin_accuracy:.1%}"
    yield f"unclassified       {scores.unclassified}"
    yield f"wrong retryable    {scores.wrong_retryable}   advice says same or elsewhere where the label says false"
    yield ""
    yield heading(_LEAVES)
    for label in scores.labels:
        yield line((label.leaf, str(label.right), str(label.cases)), _LEAVES)
    yield ""
    yield heading(_CONFUSIONS)
    for confusion in scores.confusions[:_SHOWN_CONFUSIONS]:
        yield line((confusion.label, confusion.answer, ", ".join(confusion.cases)), _CONFUSIONS)
    left = len(scores.confusions) - _SHOWN_CONFUSIONS
    if left > 0:
        yield f"and {left} more; -o json has all"
