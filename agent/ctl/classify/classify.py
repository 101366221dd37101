"""``failctl classify``: say why pods failed, one after the other, as they are read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TextIO

from agent.console.complaints import complain
from agent.console.exits import Exit
from agent.console.inputs import Input, inputs
from agent.console.options import ListForm
from agent.console.terminal import Progress, visible
from agent.core.summary.redaction import Redactor
from agent.ctl.classify.answers import ANSWERS, Answers
from agent.ctl.classify.diagnosis import Diagnoser, Diagnosis
from agent.ctl.classify.documents import Unreadable, read_documents
from agent.ctl.classify.rule_file import load_classifier
from agent.ctl.classify.subject import NotASubject, read_subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifyRequest:
    """What was asked: the inputs, the rule file (``None``: the shipped one), the form of the answer."""

    files: Sequence[str | Path]
    rules: Path | None
    output: ListForm
    explain: bool


def run(request: ClassifyRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Answer for every subject in the input. What cannot be read is reported on ``err``, and the exit code is 2."""
    diagnoser = Diagnoser(classifier=load_classifier(request.rules), redactor=Redactor(), explain=request.explain)
    sources = [_Source(one, err=err) for one in inputs(request.files)]
    diagnoses = chain.from_iterable(source.diagnoses(diagnoser) for source in sources)
    _answer(diagnoses, ANSWERS[request.output](out), Progress(err, noun="pods"))
    return Exit.USAGE if any(source.unread for source in sources) else Exit.FINE


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
    """Reads subjects of one input, and reports what cannot be read as one."""

    def __init__(self, source: Input, *, err: TextIO) -> None:
        self.unread = 0
        self._source = source
        self._err = err

    def diagnoses(self, diagnoser: Diagnoser) -> Iterator[Diagnosis]:
        with self._source.open() as stream:
            for document in read_documents(stream):
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
        complain(self._err, f"{self._source.name}: {place}: {visible(problem)}")
