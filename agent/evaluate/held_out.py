"""Scores of failures whose own rules are left out: those of their source, or those of the pack that decides them."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from agent.console.progress import Progress
from agent.core.classify.classifier import Classifier
from agent.core.classify.rules import Rule, RuleSet
from agent.core.summary.redaction import Redactor
from agent.evaluate.grades import Graded, graded
from agent.evaluate.labelled import Labelled, answer, repositories
from agent.evaluate.scores import Case
from agent.evaluate.share import Share, grouped_share

_SEED = 1

Compile = Callable[[RuleSet], Classifier]
"""Compiles a set of rules. Raises UsageError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutSource:
    """Shares if each failure is answered without the rules that were written from its own source alone.

    With such rules a score would only show that a rule matches the failure it was copied from. Intervals are
    bootstrapped over sources. ``removed`` is the number of rules that were left out for some source; ``unsourced``
    rules name no source and are never left out.
    """

    leaf: Share
    category: Share
    origin: Share
    graded: Graded
    sources: int
    removed: int
    unsourced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutPack:
    """Shares if each failure is answered without the pack whose rule decides it.

    They show what the other packs make of failures of a component that nobody has written rules for. ``packs`` is the
    number of packs that decided any; failures that none decided are left out.
    """

    leaf: Share
    category: Share
    origin: Share
    graded: Graded
    packs: int


def without_source(labelled: Sequence[Labelled], rules: RuleSet, compiled: Compile, *, err: TextIO) -> WithoutSource:
    """Answer each failure without the rules of its source."""
    rows = {failure.name: failure.source for failure in labelled}
    by_source: dict[str, list[Labelled]] = {}
    for failure in labelled:
        by_source.setdefault(failure.source, []).append(failure)
    every, redactor, removed = compiled(rules), Redactor(), 0
    answered: list[list[Case]] = []
    for source, cases in Progress(err, noun="sources").counting(by_source.items()):
        rest, gone = _without(rules, _rests_on(source, rows))
        removed += gone
        classifier = compiled(rest) if gone else every
        answered.append([answer(failure, classifier, redactor) for failure in cases])
    leaf, category, origin = _shares(answered)
    return WithoutSource(
        leaf=leaf,
        category=category,
        origin=origin,
        graded=graded([case for group in answered for case in group]),
        sources=len(by_source),
        removed=removed,
        unsourced=sum(not rule.sources for category in rules.categories for rule in category.rules),
    )


def without_pack(
    labelled: Sequence[Labelled], cases: Mapping[str, Case], rules: RuleSet, compiled: Compile, *, err: TextIO
) -> WithoutPack:
    """Answer each failure without the pack that decides it; ``cases`` has the answers of all rules, by name."""
    by_pack: dict[str, list[Labelled]] = defaultdict(list)
    for failure in labelled:
        if pack := cases[failure.name].answer.pack:
            by_pack[pack].append(failure)
    redactor = Redactor()
    answered: list[list[Case]] = []
    for pack, failures in Progress(err, noun="packs").counting(by_pack.items()):
        rest = tuple(category for category in rules.categories if category.pack != pack)
        classifier = compiled(replace(rules, categories=rest))
        answered.append([answer(failure, classifier, redactor) for failure in failures])
    leaf, category, origin = _shares(answered)
    every = [case for group in answered for case in group]
    return WithoutPack(leaf=leaf, category=category, origin=origin, graded=graded(every), packs=len(by_pack))


def _rests_on(source: str, rows: Mapping[str, str]) -> Callable[[Rule], bool]:
    """Whether a rule names only this source."""
    return lambda rule: repositories(rule.sources, rows) == {source}


def _shares(groups: Sequence[Sequence[Case]]) -> tuple[Share, Share, Share]:
    """How often leaf, category and origin are right."""
    return (
        grouped_share([[case.right for case in group] for group in groups], seed=_SEED),
        grouped_share([[case.right_category for case in group] for group in groups], seed=_SEED),
        grouped_share([[case.right_origin for case in group if case.has_origin] for group in groups], seed=_SEED),
    )


def _without(rules: RuleSet, is_gone: Callable[[Rule], bool]) -> tuple[RuleSet, int]:
    """The rules without those, and the number of these."""
    kept = [
        replace(category, rules=tuple(rule for rule in category.rules if not is_gone(rule)))
        for category in rules.categories
    ]
    gone = sum(len(category.rules) for category in rules.categories) - sum(len(category.rules) for category in kept)
    return replace(rules, categories=tuple(category for category in kept if category.rules)), gone
