"""The rules in force, read and compiled: categories and redaction."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import structlog

from agent import rule_files
from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.classify.compiler import RulesError
from agent.core.classify.rules import RuleSet, asking, has_slow_rules, normal_reasons
from agent.core.failure import Origin
from agent.core.run_event import LoadedRule
from agent.core.summary.bounds import WORD_BYTES, cut
from agent.core.summary.redaction import DEFAULT_RULES, RedactionError, RedactionRule, Redactor
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.packs import lines_for_shipped
from agent.observe.text import strip
from agent.patterns import BacktrackingSearches
from agent.settings.cluster import ClusterSettings, RedactionSettings
from agent.settings.fault import ConfigError, SettingFault
from agent.shipped import RULES, shipped

MOST_LISTED: Final = 4_000
"""Rules that a report of the rules names: 4 of 5 MiB that a message may have, if all their texts are longest."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesInForce:
    """Compiled rules, ``count`` of them. ``slow``: some backtrack and may take long. ``revision`` is of the categories.

    ``reasons`` are those of Normal events that a rule names, ``categories`` the names of all that the rules give, and
    ``asking`` those that have a condition of their own. ``listed`` are the first rules, without what they match.
    """

    classifier: Classifier
    redactor: Redactor
    slow: bool
    revision: str
    count: int
    reasons: frozenset[str] = frozenset()
    categories: tuple[str, ...] = ()
    asking: frozenset[str] = frozenset()
    listed: tuple[LoadedRule, ...] = ()


def rules_file(settings: ClusterSettings) -> Path:
    """The file of categories: the one that the settings name, else the one that ships."""
    return settings.categories or shipped(RULES)


def read_rules(
    categories: Path, redaction: RedactionSettings, *, event_types: frozenset[str] = ALL_TYPES
) -> RulesInForce:
    """Read and compile. A rule on events of types that are not watched is a fault, because it could never match.

    Raises ManifestError with every fault of the categories, and ConfigError.
    """
    try:
        rules = rule_files.read_rules(categories, event_types=event_types, notice=_log.warning)
    except OSError as error:
        raise ConfigError(
            SettingFault(place=str(categories), path="", message=f"cannot be read: {error.strerror}")
        ) from error
    try:
        classifier = compile_rules(rules, searches=BacktrackingSearches(clock=time.monotonic))
    except RulesError as error:
        raise ConfigError(SettingFault(place=str(categories), path="", message=str(error))) from error
    return RulesInForce(
        count=_counted(rules, categories),
        classifier=classifier,
        redactor=_redactor(redaction),
        slow=has_slow_rules(rules),
        revision=rules.revision,
        reasons=normal_reasons(rules),
        categories=tuple(sorted({rules.default_category, *(category.name for category in rules.categories)})),
        asking=asking(rules),
        listed=tuple(islice(_listed(rules), MOST_LISTED)),
    )


def _listed(rules: RuleSet) -> Iterator[LoadedRule]:
    for category in rules.categories:
        for index, rule in enumerate(category.rules):
            yield LoadedRule(
                name=_word(rule.name),
                pack=_word(category.pack),
                category=_word(category.name),
                rule_index=index,
                subcategory=_word(rule.subcategory),
                origin=rule.origin or category.origin or Origin.UNKNOWN,
            )


def _word(text: str) -> str:
    return cut(strip(text), WORD_BYTES)


def _counted(rules: RuleSet, file: Path) -> int:
    """How many rules there are. A set without any that ships is rarely meant: the log says so."""
    count = rule_files.count_rules(rules)
    if not count.shipped:
        _log.warning(
            "no pack that ships is used: a failure that none of these rules matches has no category",
            file=str(file),
            rules=count.all,
            fix=list(lines_for_shipped(rules.order)),
        )
    return count.all


def _redactor(settings: RedactionSettings) -> Redactor:
    ours = [
        RedactionRule(name=rule.name, pattern=rule.pattern, replacement=rule.replacement) for rule in settings.rules
    ]
    try:
        return Redactor((*DEFAULT_RULES, *ours))
    except RedactionError as error:
        raise ConfigError(SettingFault(place="settings", path="redaction.rules", message=str(error))) from error
