"""Packs that were checked before, of which only the rules are kept: without their trees.

What joining asks a tree is whether something is written there that only the file that lists the packs may say. So only
packs that write none of it are kept, and their trees are empty.
"""

from agent.core.classify.rules import RuleSet
from agent.documents.checked import Finder
from agent.documents.node import Mapping, Span, find
from agent.documents.source import Source
from agent.manifests.categories.load import FIELD, RuleFile

_EMPTY = Mapping(entries=(), span=Span(line=1, column=1), size=1)


def is_all_in_rules(file: RuleFile) -> bool:
    """Return whether a pack writes no list of packs, no default, and no action of a category."""
    defaults = ((*file.block, name) for name in ("defaultCategory", "defaultSubcategory"))
    actions = ((*file.listed, number, "action") for number, _ in enumerate(file.rules.categories))
    written = any(find(file.finder.root, place) is not None for place in (*defaults, *actions))
    return not (written or file.packs or file.without)


def checked_pack(rules: RuleSet, *, file: str) -> RuleFile:
    """Return a pack of which ``is_all_in_rules`` held."""
    return RuleFile(rules=rules, finder=Finder(root=_EMPTY, at=()), listed=(FIELD,), source=Source("", file=file))
