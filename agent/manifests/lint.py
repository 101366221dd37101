"""Lint any document that people write: find out its kind, and report everything that is wrong with it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agent.core.jobset.gates import ALL_OFF, Gates
from agent.documents.checked import Check, empty_document, with_problems_of_text
from agent.documents.compose import read
from agent.documents.grammar import MANIFEST
from agent.documents.node import Mapping, Node, kind, text_at
from agent.documents.problem import Problem, in_order, nearest, nearest_or_all, quote
from agent.documents.source import Fault, Source
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import FIELD, check_categories, is_categories
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


def lint(
    text: str | bytes, *, file: str, event_types: frozenset[str] = ALL_TYPES, gates: Gates = ALL_OFF
) -> tuple[Problem, ...]:
    """Return every problem of every document of a text, whichever kinds they are.

    ``event_types`` are those that the agent watches: a rule on others is an error. A document with errors gets no
    findings. ``gates`` are the feature gates of JobSets that are on.
    """
    documents = read(text, file=file, by_kind=GRAMMARS)
    if not documents.roots and not documents.problems:
        return (documents.source.problem(empty_document()),)
    found, checks = list(documents.problems), _checks(event_types, gates)
    for root in documents.roots:
        found += _lint_one(root, documents.source, documents.problems, checks=checks)
    return in_order(found)


def _checks(event_types: frozenset[str], gates: Gates) -> Checks:
    return (
        (is_categories, partial(check_categories, event_types=event_types)),
        (is_retry_policy, check_retry_policy),
        (is_job, check_job),
        (is_jobset, partial(check_jobset, gates=gates)),
        (is_error_table, check_error_table),
        (is_error_codes, check_error_codes),
    )


def _lint_one(root: Node, source: Source, of_text: tuple[Problem, ...], *, checks: Checks) -> tuple[Problem, ...]:
    check = next((check for is_one, check in checks if is_one(root)), None)
    if check is None:
        return (source.problem(_unknown(root)),)
    return with_problems_of_text(check(root, source), of_text).problems


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
