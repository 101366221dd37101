"""The Jobs and JobSets of a text, which may have other documents."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from agent.core.job.plain import Plain
from agent.core.jobset.gates import ALL_ON
from agent.documents.checked import Checked, empty_document
from agent.documents.compose import Documents, read
from agent.documents.grammar import MANIFEST
from agent.documents.node import Node, find, plain, text_at
from agent.documents.problem import ManifestError, Problem, errors_of, in_order
from agent.documents.source import Fault, Source
from agent.manifests.job.load import KIND as JOB
from agent.manifests.job.load import UNSUPPORTED, check_job, is_job
from agent.manifests.jobset.load import KIND as JOBSET
from agent.manifests.jobset.load import check_jobset, is_jobset

_SERVICE: Final = "Service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Job or JobSet: the number of its document in the text, from 0, and its content."""

    number: int
    kind: str
    content: Plain

    @property
    def name(self) -> str:
        """How to call it: by its kind and name."""
        metadata = self.content.get("metadata")
        named = metadata if isinstance(metadata, Mapping) else {}
        return f"{self.kind} {named.get('name') or named.get('generateName')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workloads:
    """The content of a text: its Jobs and JobSets, its Services, and every document as plain values."""

    workloads: tuple[Workload, ...]
    services: tuple[Plain, ...]
    documents: tuple[object, ...]


def read_workloads(text: str | bytes, *, file: str) -> Workloads:
    """Read a text. Raises ``ManifestError`` with every error of its Jobs and JobSets, and if it has none of them."""
    documents = read(text, file=file, grammar=MANIFEST)
    problems = [*documents.problems, *(problem for root in documents.roots for problem in _errors(root, documents))]
    known = [(number, root) for number, root in enumerate(documents.roots) if _check_of(root) is not None]
    if not problems and not known:
        problems.append(_nothing(documents))
    if problems:
        raise ManifestError(in_order(problems))
    return Workloads(
        workloads=tuple(_workload(number, root) for number, root in known),
        services=tuple(_plain(root) for root in documents.roots if text_at(find(root, ("kind",))) == _SERVICE),
        documents=tuple(plain(root) for root in documents.roots),
    )


def _workload(number: int, root: Node) -> Workload:
    return Workload(number=number, kind=JOB if is_job(root) else JOBSET, content=_plain(root))


def _plain(root: Node) -> Plain:
    content = plain(root)
    return content if isinstance(content, dict) else {}


def _check_of(root: Node) -> Callable[[Node, Source], Checked[Any]] | None:
    if is_job(root):
        return check_job
    return partial(check_jobset, gates=ALL_ON) if is_jobset(root) else None


def _errors(root: Node, documents: Documents) -> Iterator[Problem]:
    check = _check_of(root)
    if check is not None:
        found = errors_of(check(root, documents.source).problems)
        yield from (problem for problem in found if problem.code != UNSUPPORTED)


def _nothing(documents: Documents) -> Problem:
    if not documents.roots:
        return documents.source.problem(empty_document())
    message = "there is no Job and no JobSet in this file"
    hint = "the rules belong into a Job, into `jobTemplate` of a CronJob, or into a JobSet"
    fault = Fault(code="no-workload", span=documents.roots[0].span, message=message, hint=hint)
    return documents.source.problem(fault)
