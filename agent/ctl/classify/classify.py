"""``failctl classify``: say why pods failed, one after the other, as they are read."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TextIO

from agent.core.summary.redaction import Redactor
from agent.ctl.classify.answers import ANSWERS, Answers
from agent.ctl.classify.diagnosis import Diagnoser, Diagnosis
from agent.ctl.classify.documents import Document, Unreadable, read_documents
from agent.ctl.classify.rule_file import load_classifier
from agent.ctl.classify.subject import NotASubject, read_subject
from agent.ctl.console.exits import Exit, UsageError
from agent.ctl.console.terminal import Progress, visible
from agent.ctl.console.text_input import open_input


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifyRequest:
    """What was asked: the input, the rule file (``None``: the shipped one), the form of the answer."""

    file: Path
    categories: Path | None
    output: str
    explain: bool


def run(request: ClassifyRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Answer for every subject in the input. What cannot be read is reported on ``err``, and the exit code is 1."""
    if request.output not in ANSWERS:
        raise UsageError(f"-o {request.output}: unknown output format; use one of {', '.join(ANSWERS)}")
    diagnoser = Diagnoser(classifier=load_classifier(request.categories), redactor=Redactor(), explain=request.explain)
    with open_input(request.file, sys.stdin.buffer) as stream:
        source = _Source(name="<stdin>" if str(request.file) == "-" else str(request.file), err=err)
        diagnoses = source.diagnoses(diagnoser, read_documents(stream))
        _answer(diagnoses, ANSWERS[request.output](out), Progress(err, noun="pods"))
    return Exit.FINDING if source.unread else Exit.FINE


def _answer(diagnoses: Iterator[Diagnosis], answers: Answers, progress: Progress) -> None:
    """Read two diagnoses ahead, to know whether there is one answer or many; stream the rest."""
    first = list(zip(range(2), diagnoses, strict=False))
    answers.begin(many=len(first) > 1)
    for diagnosis in chain((each for _, each in first), diagnoses):
        answers.write(diagnosis)
        progress.step()
    progress.end()
    answers.end()


class _Source:
    """Reads subjects and reports what cannot be read as one."""

    def __init__(self, *, name: str, err: TextIO) -> None:
        self.unread = 0
        self._name = name
        self._err = err

    def diagnoses(self, diagnoser: Diagnoser, documents: Iterator[Document | Unreadable]) -> Iterator[Diagnosis]:
        for document in documents:
            if isinstance(document, Unreadable):
                self._report(document.place, document.problem)
                continue
            try:
                subject = read_subject(document.value)
            except NotASubject as error:
                self._report(document.place, str(error))
                continue
            yield diagnoser.diagnose(subject, now=datetime.now(UTC))

    def _report(self, place: str, problem: str) -> None:
        self.unread += 1
        self._err.write(f"failctl: {visible(self._name)}: {place}: {visible(problem)}\n")
