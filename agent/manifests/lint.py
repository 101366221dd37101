"""Lint any document that people write: find out its kind, and report everything that is wrong with it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from agent.core.error_table.codes import ErrorCodes
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.retry.policy import RetryPolicy
from agent.documents.checked import Check, Checked, empty_document, with_faults, with_problems_of_text
from agent.documents.compose import Documents, read
from agent.documents.grammar import MANIFEST, Grammar
from agent.documents.node import Mapping, Node, find, kind, text_at
from agent.documents.problem import Problem, in_order, nearest, quote
from agent.documents.remainder import check_everything
from agent.documents.source import Fault, Source
from agent.documents.written import WrittenMapping
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import FIELD, check_categories, is_categories
from agent.manifests.crosscheck import PolicyDocument
from agent.manifests.error_table.codes import check_error_codes, is_error_codes
from agent.manifests.error_table.course import check_course, is_course
from agent.manifests.error_table.load import (
    STRICT,
    check_error_rule,
    check_error_table,
    is_error_table,
)
from agent.manifests.error_table.rows import CheckContext
from agent.manifests.error_table.shapes import CODES_KIND, TABLE_KIND
from agent.manifests.job.load import KIND as JOB
from agent.manifests.job.load import check_job, is_job
from agent.manifests.job.outcomes import is_outcomes
from agent.manifests.jobset.load import KIND as JOBSET
from agent.manifests.jobset.load import check_jobset, is_jobset
from agent.manifests.jobset.outcomes import check_jobset_outcomes
from agent.manifests.observed import check_observed, is_observed, is_pod_of_a_cluster
from agent.manifests.resource.kind import Kind
from agent.manifests.retry.scenario import check_scenario, is_scenario
from agent.manifests.submission.load import JOBS_FIELD, POD, check_jobs_file, check_pod, is_jobs_file, is_pod

_IN_TABLES = (TABLE_KIND, Kind.ERROR_RULE, CODES_KIND)
KINDS = (*(kind for kind in Kind if kind not in _IN_TABLES), POD, JOB, JOBSET, *_IN_TABLES)
"""The words that ``kind`` may be."""

FIELDS = {
    FIELD: "error categories",
    JOBS_FIELD: "jobs to submit",
    "failures": "scenarios",
    "outcomes": "outcomes of pods",
}
"""The fields that identify documents without ``kind``, and the names of these kinds."""

_KUBERNETES = (JOB, JOBSET, POD)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKind:
    """One more kind of document: what it is called, how it is known, and what checks it."""

    name: str
    is_one: Callable[[Node], bool]
    check: Check[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LintContext:
    """What documents are linted for.

    ``event_types`` are those that the agent watches: a rule on others is an error. ``gates`` are the feature gates of
    JobSets that are on, ``table`` is the context of error tables, ``asking`` are the categories of the rule files that
    have a pod condition of their own, if those are given, and ``kinds`` are additional kinds.
    """

    event_types: frozenset[str] = ALL_TYPES
    gates: Gates = ALL_OFF
    table: CheckContext = STRICT
    asking: frozenset[str] | None = None
    kinds: tuple[KnownKind, ...] = ()


ANYWHERE = LintContext()
"""Nothing is known about where the documents will be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """Every problem of a text, and its retry policies, to compare with others."""

    problems: tuple[Problem, ...]
    policies: tuple[PolicyDocument, ...]


def lint(text: str | bytes, *, file: str, context: LintContext = ANYWHERE) -> tuple[Problem, ...]:
    """Return every problem of every document of a text, whichever kinds they are."""
    return lint_documents(compose(text, file=file), context=context).problems


def compose(text: str | bytes, *, file: str) -> Documents:
    """Read a text whose documents may be of any kinds."""
    return read(text, file=file, other_grammar=_grammar)


def _grammar(root: WrittenMapping) -> Grammar | None:
    """Return the grammar of the API server for Kubernetes' kinds and Armada's jobs files, else that of our files."""
    jobs = root.has(JOBS_FIELD) and not root.has("kind")
    return MANIFEST if jobs or root.text_of("kind") in _KUBERNETES else None


def lint_documents(documents: Documents, *, context: LintContext = ANYWHERE) -> Linted:
    """Lint what has been read of a text; as ``lint``."""
    if not documents.roots and not documents.problems:
        return Linted(problems=(documents.source.problem(empty_document()),), policies=())
    kinds = _kinds(context)
    # What is nothing to lint need not be YAML: examples may be lines of JSON.
    of_text = () if documents.roots and is_observed(documents.roots[0]) else documents.problems
    found, policies = list(of_text), []
    for root in documents.roots:
        rest = check_everything(_check_of(root, kinds), root, documents.source)
        whole: Checked[Any] = Checked(value=None, problems=rest.problems)
        found += with_problems_of_text(whole, of_text).problems
        if isinstance(rest.value, RetryPolicy):
            policies.append(
                PolicyDocument(policy=rest.value, root=rest.root, source=documents.source, restored=rest.restored)
            )
    return Linted(problems=in_order(found), policies=tuple(policies))


def _kinds(context: LintContext) -> tuple[KnownKind, ...]:
    codes = context.table.codes or ErrorCodes()
    return (
        KnownKind(
            name=FIELDS[FIELD],
            is_one=is_categories,
            check=partial(check_categories, event_types=context.event_types),
        ),
        *(_of_resources(kind, context) for kind in Kind),
        KnownKind(name=POD, is_one=is_pod, check=check_pod),
        KnownKind(name=FIELDS[JOBS_FIELD], is_one=is_jobs_file, check=check_jobs_file),
        KnownKind(name=JOB, is_one=is_job, check=partial(check_job, asking=context.asking)),
        KnownKind(
            name=JOBSET, is_one=is_jobset, check=partial(check_jobset, gates=context.gates, asking=context.asking)
        ),
        KnownKind(name=TABLE_KIND, is_one=is_error_table, check=partial(check_error_table, context=context.table)),
        KnownKind(name=CODES_KIND, is_one=is_error_codes, check=check_error_codes),
        KnownKind(name="failures for an error table", is_one=is_course, check=partial(check_course, codes=codes)),
        KnownKind(name=FIELDS["failures"], is_one=is_scenario, check=check_scenario),
        KnownKind(name=FIELDS["outcomes"], is_one=is_outcomes, check=check_jobset_outcomes),
        *context.kinds,
    )


def _of_resources(kind: Kind, context: LintContext) -> KnownKind:
    check: Check[Any] = kind.reader.check
    if kind is Kind.ERROR_RULE:
        check = partial(check_error_rule, context=context.table)
    return KnownKind(name=kind.value, is_one=lambda root: text_at(find(root, ("kind",))) == kind, check=check)


def _check_of(root: Node, kinds: tuple[KnownKind, ...]) -> Check[Any]:
    if is_pod_of_a_cluster(root):
        return check_observed
    known = next((kind.check for kind in kinds if kind.is_one(root)), None)
    if known is None:
        return check_observed if is_observed(root) else partial(_refuse, kinds=kinds)
    return known


def _refuse(root: Node, source: Source, *, kinds: tuple[KnownKind, ...]) -> Checked[Any]:
    return with_faults([_unknown(root, [kind.name for kind in kinds])], source)


def _unknown(root: Node, names: list[str]) -> Fault:
    message = f"this document has no known kind; known kinds: {', '.join(names)}"
    if not isinstance(root, Mapping):
        return Fault(code="unknown-document", span=root.span, message=f"{message}; it is {kind(root)}")
    written = root.entry("kind")
    if written is not None:
        word = text_at(written.value) or kind(written.value)
        hint = nearest(word, KINDS)
        message = f"unknown kind {quote(word)}; known kinds: {', '.join(names)}"
        return Fault(code="unknown-document", span=written.value.span, path="kind", message=message, hint=hint)
    hints = (nearest(entry.key, (*FIELDS, "kind")) for entry in root.entries)
    return Fault(code="unknown-document", span=root.span, message=message, hint=next(filter(None, hints), ""))
