"""A checked document: its compiled value, or its errors."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from agent.documents.compose import Documents, read
from agent.documents.grammar import PEOPLE, Grammar
from agent.documents.node import Node, PathStep, Span, find, plain, write_path
from agent.documents.problem import ManifestError, Problem, Severity, errors_of, in_order
from agent.documents.source import Fault, Source

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Generic[Value]):
    """The value of a document, ``None`` if it has errors; and all its problems in the order of the text."""

    value: Value | None
    problems: tuple[Problem, ...]

    def value_or_raise(self) -> Value:
        """Return the value. Raises ``ManifestError`` with every error if there is none."""
        if self.value is None:
            raise ManifestError(errors_of(self.problems))
        return self.value


Check = Callable[[Node, Source], Checked[Value]]
"""Checks one document of a text."""


def with_faults(faults: Iterable[Fault], source: Source) -> Checked[Value]:
    """Return the result for a document with these errors: it has no value."""
    return Checked(value=None, problems=problems_of(faults, source))


def problems_of(faults: Iterable[Fault], source: Source) -> tuple[Problem, ...]:
    """Return the faults as problems of the source, in the text's order."""
    return in_order(source.problem(fault) for fault in faults)


def check_text(text: str | bytes, check: Check[Value], *, file: str, grammar: Grammar = PEOPLE) -> Checked[Value]:
    """Check a text that must have exactly one document."""
    return check_one(read(text, file=file, grammar=grammar), check)


def read_plain(text: str | bytes, *, file: str, grammar: Grammar = PEOPLE) -> object:
    """Return the value of a text's only document; ``None`` if it has none. Raises ``ManifestError``."""
    documents = read(text, file=file, grammar=grammar)
    if documents.problems:
        raise ManifestError(documents.problems)
    if len(documents.roots) > 1:
        raise ManifestError((not_one(documents),))
    return plain(documents.roots[0]) if documents.roots else None


def check_one(documents: Documents, check: Check[Value]) -> Checked[Value]:
    """Check a parsed text that must have exactly one document."""
    if len(documents.roots) != 1:
        return Checked(value=None, problems=documents.problems or (not_one(documents),))
    return with_problems_of_text(check(documents.roots[0], documents.source), documents.problems)


def with_problems_of_text(checked: Checked[Value], problems: tuple[Problem, ...]) -> Checked[Value]:
    """Return a document together with the problems of its text; at one position only the text's is reported."""
    if not problems:
        return checked
    # Unreadable values are placeholders in the tree; an error at the same position is only a consequence.
    taken = {(problem.line, problem.column) for problem in problems}
    more = [problem for problem in checked.problems if (problem.line, problem.column) not in taken]
    return Checked(value=None, problems=in_order((*problems, *more)))


def empty_document() -> Fault:
    """Return the fault of a text without a document."""
    return Fault(code="empty-document", span=Span(line=1, column=1), message="the document is empty")


def not_one(documents: Documents) -> Problem:
    """Return the error of a text that has no document, or several."""
    if not documents.roots:
        return documents.source.problem(empty_document())
    message = f"expected one document, found {len(documents.roots)}"
    fault = Fault(code="several-documents", span=documents.roots[1].span, message=message, hint="split the file")
    return documents.source.problem(fault)


Steps = tuple[PathStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """Makes findings about a tree; ``at`` is the path of its root in the document."""

    root: Node
    at: Steps = ()

    def has(self, steps: Steps) -> bool:
        """Return whether something is written at this path."""
        return find(self.root, steps) is not None

    def get(self, steps: Steps) -> Node | None:
        """Return what is written at this path."""
        return find(self.root, steps)

    def finding(self, code: str, message: str, *, at: Steps, hint: str = "") -> Fault:
        """Return a warning about this path, placed at its deepest existing node."""
        steps = at
        while (node := find(self.root, steps)) is None:
            steps = steps[:-1]
        path = write_path((*self.at, *at))
        return Fault(code=code, span=node.span, path=path, message=message, hint=hint, severity=Severity.WARNING)
