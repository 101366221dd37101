"""Lint any document that people write: find out its kind, and report everything that is wrong with it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.retry.policy import RetryPolicy
from agent.documents.checked import Check, Checked, empty_document, with_faults, with_problems_of_text
from agent.documents.compose import Documents, read
from agent.documents.grammar import MANIFEST
from agent.documents.node import Mapping, Node, kind, text_at
from agent.documents.problem import Problem, in_order, nearest, nearest_or_all, quote
from agent.documents.source import Fault, Source
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import FIELD, check_categories, is_categories
from agent.manifests.crosscheck import PolicyDocument
from agent.manifests.error_table.codes import check_error_codes, is_error_codes
from agent.manifests.error_table.load import check_error_table, is_error_table
from agent.manifests.error_table.shapes import CODES_KIND, TABLE_KIND
from agent.manifests.job.load import KIND as JOB
from agent.manifests.job.load import check_job, is_job
from agent.manifests.jobset.load import KIND as JOBSET
from agent.manifests.jobset.load import check_jobset, is_jobset
from agent.manifests.retry.load import KIND, check_retry_policy, is_retry_policy

KINDS = (KIND, JOB, JOBSET, TABLE_KIND, CODES_KIND)
"""The words that ``kind`` may be."""

GRAMMARS = {JOB: MANIFEST, JOBSET: MANIFEST}
"""The kinds that are read as the API server reads them."""

Checks = tuple[tuple[Callable[[Node], bool], Check[Any]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """Every problem of a text, and those of its retry policies that have no error, to compare with others."""

    problems: tuple[Problem, ...]
    policies: tuple[PolicyDocument, ...]


def lint(
    text: str | bytes, *, file: str, event_types: frozenset[str] = ALL_TYPES, gates: Gates = ALL_OFF
) -> tuple[Problem, ...]:
    """Return every problem of every document of a text, whichever kinds they are.

    ``event_types`` are those that the agent watches: a rule on others is an error. A document with errors gets no
    findings. ``gates`` are the feature gates of JobSets that are on.
    """
    return lint_documents(compose(text, file=file), event_types=event_types, gates=gates).problems


def compose(text: str | bytes, *, file: str) -> Documents:
    """Read a text whose documents may be of any kinds."""
    return read(text, file=file, by_kind=GRAMMARS)


def lint_documents(documents: Documents, *, event_types: frozenset[str] = ALL_TYPES, gates: Gates = ALL_OFF) -> Linted:
    """Lint what has been read of a text; as ``lint``."""
    if not documents.roots and not documents.problems:
        return Linted(problems=(documents.source.problem(empty_document()),), policies=())
    checks = _checks(event_types, gates)
    found, policies = list(documents.problems), []
    for root in documents.roots:
        checked = _check(root, documents.source, checks)
        found += with_problems_of_text(checked, documents.problems).problems
        if isinstance(checked.value, RetryPolicy):
            policies.append(PolicyDocument(policy=checked.value, root=root, source=documents.source))
    return Linted(problems=in_order(found), policies=tuple(policies))


def _checks(event_types: frozenset[str], gates: Gates) -> Checks:
    return (
        (is_categories, partial(check_categories, event_types=event_types)),
        (is_retry_policy, check_retry_policy),
        (is_job, check_job),
        (is_jobset, partial(check_jobset, gates=gates)),
        (is_error_table, check_error_table),
        (is_error_codes, check_error_codes),
    )


def _check(root: Node, source: Source, checks: Checks) -> Checked[Any]:
    check = next((check for is_one, check in checks if is_one(root)), None)
    return with_faults([_unknown(root)], source) if check is None else check(root, source)


def _unknown(root: Node) -> Fault:
    message = f"this is neither error categories (`{FIELD}`) nor one of the kinds {', '.join(KINDS)}"
    if not isinstance(root, Mapping):
        return Fault(code="unknown-document", span=root.span, message=f"{message}; it is {kind(root)}")
    written = root.entry("kind")
    if written is not None:
        word = text_at(written.value) or kind(written.value)
        hint = nearest_or_all(word, KINDS)
        message = f"unknown kind {quote(word)}"
        return Fault(code="unknown-document", span=written.value.span, path="kind", message=message, hint=hint)
    hints = (nearest(entry.key, (FIELD, "kind")) for entry in root.entries)
    return Fault(code="unknown-document", span=root.span, message=message, hint=next(filter(None, hints), ""))
