"""Error categories: a file that people write, checked as a whole and compiled to rules.

Both spellings are read: the seed's ``errorCategories: [...]`` and Armada's block ``errorCategories: {enabled,
defaultCategory, defaultSubcategory, categories}``, which may be under ``application:`` as in the
configuration of Armada's executor. Everything else there belongs to Armada and is ignored.
"""

from functools import partial

from agent.core.classify.rules import RuleSet
from agent.documents.checked import Checked, check_one, check_text, problems_of, with_faults
from agent.documents.compose import Documents
from agent.documents.node import List, Mapping, MappingEntry, Node, PathStep, find, size
from agent.documents.problem import Problem
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.categories.compile import compile_block
from agent.manifests.categories.faults import faults_between_fields
from agent.manifests.categories.findings import ALL_TYPES, findings, unseen_events
from agent.manifests.categories.shapes import BlockFile, BlockShape, ListFile

FIELD = "errorCategories"
_EXECUTOR = "application"

Steps = tuple[PathStep, ...]


def load_categories(text: str | bytes, *, file: str, event_types: frozenset[str] = ALL_TYPES) -> RuleSet:
    """Return the rules of a file of error categories. Raises ``ManifestError`` with every fault at once.

    ``event_types`` are those that the agent watches: a rule on others is a fault.
    """
    return check_text(text, partial(check_categories, event_types=event_types), file=file).value_or_raise()


def categories_of(documents: Documents) -> RuleSet:
    """Return the rules of a file that has been read. Raises ``ManifestError`` with every fault at once."""
    return check_one(documents, check_categories).value_or_raise()


def lint_categories(text: str | bytes, *, file: str, event_types: frozenset[str] = ALL_TYPES) -> tuple[Problem, ...]:
    """Return every error, or, if there is none, every finding about a file of error categories."""
    return check_text(text, partial(check_categories, event_types=event_types), file=file).problems


def is_categories(root: Node) -> bool:
    """Return whether a document looks like error categories."""
    return _entry(root, FIELD) is not None or _within_executor(root) is not None


def check_categories(root: Node, source: Source, *, event_types: frozenset[str] = ALL_TYPES) -> Checked[RuleSet]:
    within = _within_executor(root) if _entry(root, FIELD) is None else None
    at: Steps = () if within is None else (_EXECUTOR,)
    return _check(root if within is None else within, source, at=at, event_types=event_types)


def _check(root: Node, source: Source, *, at: Steps, event_types: frozenset[str]) -> Checked[RuleSet]:
    """Check the mapping at this path, which contains only error categories."""
    entry = _entry(root, FIELD)
    in_list = entry is not None and isinstance(entry.value, List)
    listed: Steps = (FIELD,) if in_list else (FIELD, "categories")
    block, faults = _shape(root, in_list=in_list, at=at)
    faults += faults_between_fields(find(root, listed), source, at=(*at, *listed))
    if faults or block is None:
        return with_faults(faults, source)
    rules = compile_block(block)
    unseen = list(unseen_events(rules, root, at=at, listed=listed, event_types=event_types))
    places = {fault.path for fault in unseen}
    more = (fault for fault in findings(rules, root, at=at, listed=listed) if fault.path not in places)
    found = problems_of([*unseen, *more], source)
    return Checked(value=None if unseen else rules, problems=found)


def _shape(root: Node, *, in_list: bool, at: Steps) -> tuple[BlockShape | None, list[Fault]]:
    if in_list:
        listed = check(ListFile, root, at=at)
        given = listed.value
        block = BlockShape(order=given.order, categories=given.errorCategories) if given else None
        return block, list(listed.faults)
    whole = check(BlockFile, root, at=at)
    return whole.value.errorCategories if whole.value else None, list(whole.faults)


def _entry(root: Node, key: str) -> MappingEntry | None:
    return root.entry(key) if isinstance(root, Mapping) else None


def _within_executor(root: Node) -> Mapping | None:
    """Return the mapping under ``application`` with ``errorCategories`` only; the rest belongs to Armada."""
    executor = _entry(root, _EXECUTOR)
    entry = _entry(executor.value, FIELD) if executor else None
    if executor is None or entry is None:
        return None
    return Mapping(entries=(entry,), span=executor.value.span, size=1 + size(entry.value))
