"""Reads every job that a text submits."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent.documents.checked import Checked, empty_document, with_faults
from agent.documents.compose import read
from agent.documents.grammar import MANIFEST
from agent.documents.node import Node, find, text_at
from agent.documents.problem import ManifestError, Problem, errors_of, in_order, nearest, quote
from agent.documents.source import Fault, Source
from agent.manifests.submission.load import (
    JOBS_FIELD,
    POD,
    Submitted,
    check_jobs_file,
    check_pod,
    is_jobs_file,
    is_pod,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionFile:
    """The jobs of a text, in order, and every problem of it."""

    jobs: tuple[Submitted, ...]
    problems: tuple[Problem, ...]

    def value_or_raise(self) -> tuple[Submitted, ...]:
        """Return the jobs. Raises ``ManifestError`` with every error if there is one."""
        if found := errors_of(self.problems):
            raise ManifestError(found)
        return self.jobs


def read_submissions(text: str | bytes, *, file: str, queue: str = "") -> SubmissionFile:
    """Read every job of a text. Raises nothing: what is wrong is in ``problems``.

    ``queue`` is for documents that name none. Two jobs with the same client id are an error.
    """
    documents = read(text, file=file, grammar=MANIFEST)
    if not documents.roots:
        problems = documents.problems or (documents.source.problem(empty_document()),)
        return SubmissionFile(jobs=(), problems=problems)
    checked = [(root, _check(root, documents.source, queue)) for root in documents.roots]
    found = [(root, job) for root, document in checked for job in document.value or ()]
    problems = (*documents.problems, *(problem for _, document in checked for problem in document.problems))
    repeated = _repeated(found, documents.source)
    return SubmissionFile(jobs=tuple(job for _, job in found), problems=in_order((*problems, *repeated)))


def _check(root: Node, source: Source, queue: str) -> Checked[tuple[Submitted, ...]]:
    if is_pod(root):
        return check_pod(root, source, queue=queue)
    if is_jobs_file(root):
        return check_jobs_file(root, source, queue=queue)
    at = find(root, ("kind",)) or root
    word = text_at(at)
    wrong = f"a {quote(word)} cannot be submitted" if word else "this is nothing that can be submitted"
    message = f"{wrong}: only Pods, and Armada's files with `{JOBS_FIELD}`"
    hint = nearest(word or "", (POD,))
    return with_faults([Fault(code="unknown-document", span=at.span, path="kind", message=message, hint=hint)], source)


def _repeated(found: list[tuple[Node, Submitted]], source: Source) -> Iterator[Problem]:
    seen: dict[tuple[str, str], Submitted] = {}
    for root, job in found:
        name = job.submission.client_id
        first = seen.setdefault((job.submission.queue, name), job)
        if name and first is not job:
            at = find(root, (*job.at, "clientId")) or find(root, ("metadata", "name")) or root
            message = f"the client id {quote(name)} is given twice; first at line {first.line}"
            yield source.problem(Fault(code="duplicate-client-id", span=at.span, message=message))
