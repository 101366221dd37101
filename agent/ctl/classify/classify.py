"""``failctl classify``: explain why pods failed, one after the other, as they are read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TextIO

from agent.console.errors import report_error, report_note
from agent.console.exits import Exit
from agent.console.inputs import Input, inputs
from agent.console.progress import Progress
from agent.console.terminal import visible
from agent.core.summary.redaction import Redactor
from agent.ctl.classify.answers import Shown, write
from agent.ctl.classify.policies import AskedPolicies
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser, Diagnosis
from agent.diagnose.documents import Empty, Unreadable, read_documents
from agent.diagnose.subject import NotASubject, read_subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifyRequest:
    """What was asked: the inputs, the rule file (``None``: the shipped one), the policies, and what is shown."""

    files: Sequence[str | Path]
    rules: Path | None = None
    asked: AskedPolicies | None = None
    shown: Shown = field(default_factory=Shown)


def run(request: ClassifyRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Answer for every subject in the input. What cannot be read is reported on ``err``, and the exit code is 2."""
    diagnoser = diagnoser_for(request.rules, request.shown, request.asked)
    sources = [_Source(file, err=err) for file in inputs(request.files)]
    diagnoses = chain.from_iterable(source.diagnoses(diagnoser) for source in sources)
    progress = Progress(err, noun="pods")
    write(progress.counting(diagnoses), request.shown, out)
    return Exit.USAGE if any(source.unread for source in sources) else Exit.FINE


def diagnoser_for(rules: Path | None, shown: Shown, asked: AskedPolicies | None) -> Diagnoser:
    """A diagnoser by a rule file, which also asks retry policies. Raises UsageError with every fault in a file."""
    return Diagnoser(
        classifier=load_classifier(rules),
        redactor=Redactor(),
        explain=shown.explain is not None,
        foresight=None if asked is None else asked.foresight(),
    )


class _Source:
    """Reads the subjects of one input, and reports objects that are not subjects, and that there are none."""

    def __init__(self, source: Input, *, err: TextIO) -> None:
        self.unread = 0
        self._source = source
        self._err = err

    def diagnoses(self, diagnoser: Diagnoser) -> Iterator[Diagnosis]:
        found = 0
        with self._source.open() as stream:
            for document in read_documents(stream):
                if isinstance(document, Empty):
                    continue
                found += 1
                if isinstance(document, Unreadable):
                    self._report(str(document))
                    continue
                try:
                    subject = read_subject(document.value)
                except NotASubject as error:
                    self._report(f"{document.place}: {error}")
                    continue
                yield diagnoser.diagnose(subject, now=datetime.now(UTC))
        if not found:
            report_note(self._err, f"No pods in {self._source.name}.")

    def _report(self, problem: str) -> None:
        self.unread += 1
        report_error(self._err, f"{self._source.name}: {visible(problem)}")
