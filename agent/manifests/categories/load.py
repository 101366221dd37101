"""Error categories: a file that people write, checked as a whole and compiled to rules.

Both spellings are read: ``errorCategories: [...]`` of Armada's proposal and the block ``errorCategories: {enabled,
defaultCategory, defaultSubcategory, categories}``, which may be under ``application:`` as in the
configuration of Armada's executor. Everything else there belongs to Armada and is ignored. What is checked here is one
file by itself; ``packs`` joins it with those that it lists.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agent.core.classify.rules import RuleSet
from agent.documents.checked import Checked, Finder, Steps, problems_of, with_faults
from agent.documents.node import List, Mapping, MappingEntry, Node, find, size
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.categories.compile import compile_block
from agent.manifests.categories.faults import faults_between_fields
from agent.manifests.categories.findings import ALL_TYPES, findings, unseen_events
from agent.manifests.categories.shapes import BlockFile, BlockShape, ListFile, PackList

FIELD: Final = "errorCategories"
PACKS: Final = "packs"
_EXECUTOR = "application"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """The rules of one file, and its tree, to place findings in: ``listed`` is the path of the categories.

    ``packs`` and ``without`` are what the file says of packs.
    """

    rules: RuleSet
    finder: Finder
    listed: Steps
    source: Source
    packs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def block(self) -> Steps:
        """The path of the mapping with ``packs``, ``order`` and the defaults."""
        return self.listed[:-1]


def is_categories(root: Node) -> bool:
    """Return whether a document looks like error categories."""
    return _entry(root, FIELD) is not None or _entry(root, PACKS) is not None or _within_executor(root) is not None


def check_categories(root: Node, source: Source, *, event_types: frozenset[str] = ALL_TYPES) -> Checked[RuleSet]:
    """Check the rules of one file, without those of packs that it lists."""
    checked = check_file(root, source, event_types=event_types)
    return Checked(value=checked.value.rules if checked.value else None, problems=checked.problems)


def check_file(root: Node, source: Source, *, event_types: frozenset[str] = ALL_TYPES) -> Checked[RuleFile]:
    """Check one file. ``event_types`` are those that the agent watches: a rule on others is a fault."""
    within = _within_executor(root) if _entry(root, FIELD) is None else None
    at: Steps = () if within is None else (_EXECUTOR,)
    return _check(root if within is None else within, source, at=at, event_types=event_types)


def _check(root: Node, source: Source, *, at: Steps, event_types: frozenset[str]) -> Checked[RuleFile]:
    """Check the mapping at this path, which contains only error categories."""
    entry = _entry(root, FIELD)
    in_list = isinstance(entry.value, List) if entry is not None else _entry(root, PACKS) is not None
    listed: Steps = (FIELD,) if in_list else (FIELD, "categories")
    block, faults = _shape(root, in_list=in_list, at=at)
    packs = find(root, (*listed[:-1], PACKS))
    faults += faults_between_fields(find(root, listed), source, at=(*at, *listed), packs=packs)
    if faults or block is None:
        return with_faults(faults, source)
    rules = compile_block(block)
    unseen = list(unseen_events(rules, root, at=at, listed=listed, event_types=event_types))
    places = {fault.path for fault in unseen}
    more = (fault for fault in _findings(block, rules, root, at=at, listed=listed) if fault.path not in places)
    file = RuleFile(
        rules=rules,
        finder=Finder(root=root, at=at),
        listed=listed,
        source=source,
        packs=tuple(block.packs or ()) if block.enabled is not False else (),
        without=tuple(block.without or ()) if block.enabled is not False else (),
    )
    return Checked(value=None if unseen else file, problems=problems_of([*unseen, *more], source))


def _findings(block: BlockShape, rules: RuleSet, root: Node, *, at: Steps, listed: Steps) -> Iterator[Fault]:
    found = findings(rules, root, at=at, listed=listed)
    # A file that lists packs need not have categories of its own.
    return (fault for fault in found if not (block.packs and fault.code == "no-categories"))


def _shape(root: Node, *, in_list: bool, at: Steps) -> tuple[BlockShape | None, list[Fault]]:
    if in_list:
        listed = check(PackList if _entry(root, PACKS) else ListFile, root, at=at)
        return _as_block(listed.value) if listed.value else None, list(listed.faults)
    whole = check(BlockFile, root, at=at)
    return whole.value.errorCategories if whole.value else None, list(whole.faults)


def _as_block(file: ListFile) -> BlockShape:
    return BlockShape(order=file.order, packs=file.packs, without=file.without, categories=file.errorCategories)


def _entry(root: Node, key: str) -> MappingEntry | None:
    return root.entry(key) if isinstance(root, Mapping) else None


def _within_executor(root: Node) -> Mapping | None:
    """Return the mapping under ``application`` with ``errorCategories`` only; the rest belongs to Armada."""
    executor = _entry(root, _EXECUTOR)
    entry = _entry(executor.value, FIELD) if executor else None
    if executor is None or entry is None:
        return None
    return Mapping(entries=(entry,), span=executor.value.span, size=1 + size(entry.value))
