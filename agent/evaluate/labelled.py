"""Labelled failures: reads them, and answers each by a rule file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from agent.console.exits import UsageError
from agent.console.inputs import Input
from agent.core.classify.classifier import Classifier
from agent.core.failure import Failure, Grade, Origin
from agent.core.failure_text.category import leaf
from agent.core.summary.redaction import Redactor
from agent.diagnose.diagnosis import Diagnoser, Diagnosis, State
from agent.diagnose.documents import Unreadable, read_documents
from agent.diagnose.subject import NotASubject, Subject, read_subject
from agent.documents.grammar import LABELLED
from agent.evaluate.scores import HEALTHY, NOT_KNOWN, WAITING, Answer, Case, Label

_REPOSITORY = re.compile(r"(?:https?://(?:www\.)?github\.com/)?([\w.-]+/[\w.-]+?)(?=[@/# ]|$)")
_ROW = "corpus:"
STATES = (State.FAILED, State.WAITS, State.NOT_KNOWN)
"""What a label says of a pod."""

_UNFAILED = {State.HEALTHY: HEALTHY, State.WAITS: WAITING, State.NOT_KNOWN: NOT_KNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One labelled failure. ``source`` is the repository it comes from, or the text that says where from."""

    name: str
    subject: Subject
    label: Label
    hard: bool
    source: str


def read_labelled(files: Sequence[Input]) -> Iterator[Labelled]:
    """Yield the failures of the files. Raises UsageError for one that cannot be read or has no label."""
    for file in files:
        with file.open() as stream:
            for document in read_documents(stream, grammar=LABELLED):
                if isinstance(document, Unreadable):
                    raise UsageError(f"{file.name}: {document}")
                try:
                    yield labelled_failure(document.value, document.place)
                except (NotASubject, _NoLabel) as error:
                    raise UsageError(f"{file.name}: {document.place}: {error}") from error


def repository(source: str) -> str:
    """The repository that a source names, as ``owner/name``; the whole text if it names none."""
    found = _REPOSITORY.match(source)
    return found.group(1) if found else source


def repositories(sources: Sequence[str], rows: Mapping[str, str]) -> frozenset[str]:
    """The repositories that the sources of a rule name; ``rows`` has the repository of each row of a corpus."""
    return frozenset(
        rows.get(row, source) if (row := source.removeprefix(_ROW)) != source else repository(source)
        for source in sources
    )


def answer(labelled: Labelled, classifier: Classifier, redactor: Redactor) -> Case:
    """Classify a labelled failure."""
    diagnosis = Diagnoser(classifier=classifier, redactor=redactor).diagnose(labelled.subject, now=datetime.now(UTC))
    return case_of(labelled, diagnosis)


def case_of(labelled: Labelled, diagnosis: Diagnosis) -> Case:
    """A labelled failure with the answer to it."""
    return Case(
        name=labelled.name,
        label=labelled.label,
        answer=_answer(diagnosis.failure) if diagnosis.failure else _unfailed(diagnosis.state),
        hard=labelled.hard,
        source=labelled.source,
        exit_code=diagnosis.failure.exit_code if diagnosis.failure else None,
    )


def labelled_failure(value: object, place: str) -> Labelled:
    """The failure and its label; ``place`` is its name if it has none. Raises NotASubject and ``_NoLabel``."""
    label = _label(value)
    subject = read_subject(value)
    given: Mapping[str, object] = value if isinstance(value, Mapping) else {}
    return Labelled(
        name=str(given.get("id") or place),
        subject=subject,
        label=label,
        hard=given.get("hard") is True,
        source=repository(str(given.get("source") or "")),
    )


class _NoLabel(ValueError):
    """The object has no label, or one that cannot be read."""


def _label(value: object) -> Label:
    labels = value.get("labels") if isinstance(value, Mapping) else None
    if not isinstance(labels, Mapping):
        raise _NoLabel("no labels; expected at least labels: {category: NAME}")
    category, origin, retryable = labels.get("category"), labels.get("origin"), labels.get("retryable")
    key_line = labels.get("keyLine", labels.get("key_line"))
    grade, state = labels.get("grade"), labels.get("state")
    if not isinstance(category, str):
        raise _NoLabel("labels.category: expected a category, or CATEGORY/SUBCATEGORY, as text")
    if origin not in (None, *Origin):
        raise _NoLabel(f"labels.origin: expected one of {', '.join(Origin)}, found {origin!r}")
    if retryable not in (True, False, None):
        raise _NoLabel(f"labels.retryable: expected true, false or null, found {retryable!r}")
    if not isinstance(key_line, (str, type(None))):
        raise _NoLabel(f"labels.keyLine: expected text, found {key_line!r}")
    if grade not in (None, *Grade):
        raise _NoLabel(f"labels.grade: expected one of {', '.join(Grade)}, found {grade!r}")
    if state not in (None, *STATES):
        raise _NoLabel(f"labels.state: expected one of {', '.join(STATES)}, found {state!r}")
    return Label(
        leaf=category,
        origin=None if origin is None else Origin(origin),
        retryable=retryable,
        key_line=key_line,
        grade=None if grade is None else Grade(grade),
        state=state,
    )


def _unfailed(state: State) -> Answer:
    return Answer(leaf=_UNFAILED[state], origin=Origin.UNKNOWN, advice=None, classified=True, state=state)


def _answer(failure: Failure) -> Answer:
    found = failure.classification
    return Answer(
        leaf=leaf(found.category, found.subcategory),
        origin=found.origin,
        advice=found.advice,
        classified=found.matched,
        corroborated=found.corroborated is not False,
        key_line=failure.stack_trace.key_line if failure.stack_trace else "",
        grade=found.grade,
        pack=found.matches[0].pack if found.matches else "",
    )
