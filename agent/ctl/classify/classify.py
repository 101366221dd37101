"""``failctl classify``: explain why pods failed, one after the other, as they are read."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO

from agent.console.errors import report_error, report_note
from agent.console.exits import Exit
from agent.console.inputs import STANDARD_INPUT, Input, inputs
from agent.console.progress import Progress
from agent.console.terminal import visible
from agent.core.summary.redaction import Redactor
from agent.ctl.classify.answers import Shown, write
from agent.ctl.classify.policies import AskedPolicies
from agent.ctl.pod_names import qualified
from agent.ctl.rule_file import load_with_rules
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.documents import Document, Empty, Unreadable, read_documents
from agent.diagnose.families import Families, Key
from agent.diagnose.subject import NotASubject, Subject, read_owner, read_subject, without_pod

_NAMED: Final = 3
"""Owners that a note names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifyRequest:
    """What was asked: the inputs, the rule file (``None``: the shipped one), the policies, and what is shown."""

    files: Sequence[str | Path]
    rules: Path | None = None
    asked: AskedPolicies | None = None
    shown: Shown = field(default_factory=Shown)


def run(request: ClassifyRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Answer for every subject in the input. What cannot be read is reported on ``err``, and the exit code is 2."""
    diagnoser = diagnoser_for(request.rules, request.shown, request.asked, err=err)
    subjects = _Subjects(err=err)
    diagnoses = (diagnoser.diagnose(subject, now=datetime.now(UTC)) for subject in subjects.of(inputs(request.files)))
    progress = Progress(err, noun="pods")
    write(progress.counting(diagnoses), request.shown, out)
    return Exit.USAGE if subjects.unread else Exit.FINE


def diagnoser_for(rules: Path | None, shown: Shown, asked: AskedPolicies | None, *, err: TextIO) -> Diagnoser:
    """A diagnoser by a rule file, which also asks retry policies. Raises UsageError with every fault in a file."""
    classifier, given = load_with_rules(rules)
    return Diagnoser(
        classifier=classifier,
        redactor=Redactor(),
        explain=shown.explain is not None,
        foresight=None if asked is None else asked.foresight(given, err),
    )


class _Subjects:
    """Reads the subjects of inputs, with the Jobs and JobSets among them, and reports what is neither."""

    def __init__(self, *, err: TextIO) -> None:
        self.unread = 0
        self._pods = 0
        self._families = Families()
        self._owners: dict[str, str] = {}
        self._err = err

    def of(self, sources: Iterable[Input]) -> Iterator[Subject]:
        """Every subject in its order. One whose owners may still come waits for them."""
        for source in sources:
            yield from self._of(source)
        yield from self._families.rest()
        self._report_owners()

    def _of(self, source: Input) -> Iterator[Subject]:
        found, is_file = False, source.path != STANDARD_INPUT
        with source.open() as stream:
            for document in read_documents(stream):
                if isinstance(document, Empty):
                    continue
                found = True
                if isinstance(document, Unreadable):
                    self._report(source, str(document))
                    continue
                try:
                    yield from self._read(document, place=f"{source.name}: {document.place}", waits=is_file)
                except NotASubject as error:
                    self._report(source, f"{document.place}: {_mistaken(document.value) or error}")
        if not found:
            report_note(self._err, f"No pods in {source.name}.")

    def _read(self, document: Document, *, place: str, waits: bool) -> Iterator[Subject]:
        owner = read_owner(document.value)
        if owner is not None:
            self._owners.setdefault(place, type(owner).__name__)
            return self._families.know(owner)
        subject = read_subject(document.value)
        self._pods += 1
        return self._families.add(subject, waits=waits or document.in_list)

    def _report_owners(self) -> None:
        """Report owners if there is no pod at all, else note those whose pods are missing, or came too early."""
        if not self._pods:
            for place, kind in self._owners.items():
                self.unread += 1
                report_error(self._err, f"{place}: {without_pod(kind)}")
            return
        if missing := self._families.without_pods:
            report_note(self._err, f"The input has no pod of {_listed(missing)}.")
        if late := self._families.late:
            early = f"Pods of {_listed(late)} came before, and were answered without it"
            report_note(self._err, f"{early}: put Jobs first, as kubectl get jobsets,jobs,pods does.")

    def _report(self, source: Input, problem: str) -> None:
        self.unread += 1
        report_error(self._err, f"{source.name}: {visible(problem)}")


def _mistaken(value: object) -> str:
    """What an object is that belongs to another option; empty for anything else, as each object of a cluster is."""
    if not isinstance(value, Mapping) or value.get("kind") not in {None, "RetryPolicy"}:
        return ""
    from agent.ctl.file_kinds import PODS, mistaken  # noqa: PLC0415 - only who mistakes a file needs all kinds

    return mistaken(json.dumps(value, default=str), wanted=PODS)


def _listed(owners: Sequence[Key]) -> str:
    """The first few, and the number of the others."""
    names = [visible(f"{owner.kind} {qualified(owner.namespace, owner.name)}") for owner in owners[:_NAMED]]
    more = len(owners) - len(names)
    return f"{', '.join(names)}{f' and {more:,} more' if more else ''}"
