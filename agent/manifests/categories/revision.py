"""The revision of a rule set: a hash of its meaning, the same for two files that mean the same.

Agents report it with each failure. What is hashed is JSON with the tag of each value and the names of its fields; the
tags are written down here, so that classes may be renamed and moved. A tag or a field's name never changes: that would
change the revision of every file in use.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType

from agent.core.classify.matchers.matcher import EvidenceMatcher
from agent.core.classify.matchers.node_conditions import NodeCondition
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Matcher, Rule, RuleSet
from agent.manifests.categories.shapes import MATCHERS

TAGS: Mapping[type, str] = MappingProxyType(
    {
        RuleSet: "RuleSet",
        Category: "Category",
        Rule: "Rule",
        AllOf: "AllOf",
        Pattern: "Pattern",
        NodeCondition: "NodeCondition",
        **{written.matcher: written.tag for written in MATCHERS.values()},
    }
)
"""The tag of each value in the hash; a matcher's tag is next to its shape."""

LATER_FIELDS = frozenset(
    {"after", "role", "region", "corroborated_by", "proof", "order", "pattern", "pack", "condition"}
)
"""Fields that were added later: they are left out where they have their default, so that older files keep theirs."""

_NO_MEANING = frozenset({"sources", "name"})
"""Fields of a rule that do not change what it means. The name of a category does, and has no default."""

_LENGTH = 16
_SHORT = 6


def with_revision(rules: RuleSet) -> RuleSet:
    """Return the rules with their revision: the same for two files that mean the same."""
    meaning = json.dumps(_canonical(dataclasses.replace(rules, revision="")), sort_keys=True, ensure_ascii=True)
    return dataclasses.replace(rules, revision=hashlib.sha256(meaning.encode()).hexdigest()[:_LENGTH])


def digest(matcher: Matcher, container: str | None) -> str:
    """A short hash of what a rule matches: it identifies the rule among the others of its subcategory."""
    meaning = json.dumps([_canonical(matcher), container], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(meaning.encode()).hexdigest()[:_SHORT]


def _canonical(value: object) -> object:
    """Return a value as JSON that is equal for equal meanings: sets and alternatives sorted, types tagged."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            field.name: _canonical(given)
            for field in dataclasses.fields(value)
            if not (isinstance(value, Rule) and field.name in _NO_MEANING)
            and ((given := getattr(value, field.name)) != field.default or field.name not in LATER_FIELDS)
        }
        for name in value.ANY_OF if isinstance(value, EvidenceMatcher) else ():
            fields[name] = sorted(map(_canonical, getattr(value, name)), key=_by_text)
        return {"is": TAGS[type(value)], **fields}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_canonical(part) for part in value]
    return value


def _by_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
