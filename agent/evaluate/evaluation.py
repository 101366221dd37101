"""Scores a rule file on labelled failures, and prints the scores: ``failctl evaluate``."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

from agent.console.columns import Column, heading, line, widened
from agent.console.exits import Exit
from agent.console.inputs import inputs
from agent.console.options import Form
from agent.console.paragraphs import paragraph
from agent.console.progress import Progress
from agent.console.terminal import visible
from agent.core.classify.classifier import Classifier
from agent.core.classify.rules import RuleSet
from agent.core.summary.redaction import Redactor
from agent.evaluate.labelled import Labelled, answer, read_labelled, repositories
from agent.evaluate.scores import Case, Part, Scores, score
from agent.evaluate.share import Share, grouped_share

_SHOWN_CONFUSIONS = 20
_SEED = 1
_WIDTH = 80
_FIGURES = (
    Column(heading="FIGURE", width=22),
    Column(heading="ALL", width=17),
    Column(heading="NOT HARD", width=17),
    Column(heading="HARD"),
)
_LEAVES = (
    Column(heading="LEAF", width=34),
    Column(heading="RIGHT", width=5, right=True),
    Column(heading="CASES", width=5, right=True),
    Column(heading="HARD RIGHT", width=10, right=True),
    Column(heading="HARD", width=4, right=True),
)
_CONFUSIONS = (Column(heading="LABEL", width=34), Column(heading="ANSWER", width=34), Column(heading="CASES"))
_BASELINES = (
    Column(heading="BASELINE", width=22),
    Column(heading="LEAF", width=17),
    Column(heading="CATEGORY", width=17),
    Column(heading="ORIGIN"),
)


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
    sources: int
    removed: int
    unsourced: int


Compile = Callable[[RuleSet], Classifier]
"""Compiles a set of rules. Raises UsageError."""


def run(
    files: Sequence[str | Path],
    *,
    rules: RuleSet,
    compiled: Compile,
    without_source: bool,
    output: Form,
    out: TextIO,
    err: TextIO,
) -> Exit:
    """Score every labelled failure in the files. Raises UsageError for one that cannot be read or has no label."""
    classifier, redactor = compiled(rules), Redactor()
    labelled = list(Progress(err, noun="cases").counting(read_labelled(inputs(files))))
    scores = score([answer(failure, classifier, redactor) for failure in labelled])
    held_out = _without_source(labelled, rules, compiled, err=err) if without_source else None
    if output == "json":
        whole = asdict(scores) | ({"without_source": asdict(held_out)} if held_out else {})
        out.write(json.dumps(whole) + "\n")
    else:
        out.writelines(line + "\n" for line in (*_held_out(held_out), *_table(scores)))
    return Exit.FINE


def _without_source(labelled: Sequence[Labelled], rules: RuleSet, compiled: Compile, *, err: TextIO) -> WithoutSource:
    rows = {failure.name: failure.source for failure in labelled}
    by_source: dict[str, list[Labelled]] = {}
    for failure in labelled:
        by_source.setdefault(failure.source, []).append(failure)
    every, redactor, removed = compiled(rules), Redactor(), 0
    answered: list[list[Case]] = []
    for source, cases in Progress(err, noun="sources").counting(by_source.items()):
        rest, gone = _without(rules, source, rows)
        removed += gone
        classifier = compiled(rest) if gone else every
        answered.append([answer(failure, classifier, redactor) for failure in cases])
    return WithoutSource(
        leaf=grouped_share([[case.right for case in group] for group in answered], seed=_SEED),
        category=grouped_share([[case.right_category for case in group] for group in answered], seed=_SEED),
        origin=grouped_share([[case.right_origin for case in group if case.failed] for group in answered], seed=_SEED),
        sources=len(by_source),
        removed=removed,
        unsourced=sum(not rule.sources for category in rules.categories for rule in category.rules),
    )


def _without(rules: RuleSet, source: str, rows: dict[str, str]) -> tuple[RuleSet, int]:
    """The rules without those that name only this source, and the number of these."""
    kept = [
        replace(category, rules=tuple(rule for rule in category.rules if repositories(rule.sources, rows) != {source}))
        for category in rules.categories
    ]
    gone = sum(len(category.rules) for category in rules.categories) - sum(len(category.rules) for category in kept)
    return replace(rules, categories=tuple(category for category in kept if category.rules)), gone


def _held_out(figures: WithoutSource | None) -> Iterator[str]:
    if figures is None:
        return
    yield f"Without the rules that rest on the source of a failure alone ({figures.sources} sources):"
    yield f"  leaf      {figures.leaf}"
    yield f"  category  {figures.category}"
    yield f"  origin    {figures.origin}"
    yield f"  {figures.removed} rules rest on one source; {figures.unsourced} name no source and always count"
    yield ""
    yield "With all rules:"


def _table(scores: Scores) -> Iterator[str]:
    yield f"cases         {scores.cases}"
    yield f"unclassified  {scores.unclassified}"
    yield ""
    yield heading(_FIGURES)
    for name, figures in _rows(scores):
        yield line((name, *map(str, figures)), _FIGURES)
    for name, cases in scores.mistakes.items():
        if cases:
            yield ""
            yield from paragraph(f"{name.replace('_', ' ')}  ", visible(", ".join(cases)), indent=17, columns=_WIDTH)
    yield ""
    yield heading(_BASELINES)
    for baseline in scores.baselines:
        yield line((baseline.name, str(baseline.leaf), str(baseline.category), str(baseline.origin)), _BASELINES)
    yield ""
    yield from _leaves(scores)
    yield ""
    yield from _confused(scores)


def _rows(scores: Scores) -> Iterator[tuple[str, tuple[Share, ...]]]:
    parts = (scores.all, scores.easy, scores.hard)
    for name, figure in (
        ("leaf", "leaf"),
        ("category", "category"),
        ("origin", "origin"),
        ("wrong retryable", "wrong_retryable"),
        ("  uncorroborated", "wrong_retryable_uncorroborated"),
        ("wrong hopeless", "wrong_hopeless"),
        ("changed, yet retryable", "changed_though_retryable"),
        ("no answer or advice", "without_advice"),
        ("key line", "key_line"),
    ):
        yield name, tuple(_figure(part, figure) for part in parts)


def _figure(part: Part, name: str) -> Share:
    figure: Share = getattr(part, name)
    return figure


def _leaves(scores: Scores) -> Iterator[str]:
    rows = [
        (label.leaf, str(label.right), str(label.cases), str(label.hard_right), str(label.hard_cases))
        for label in scores.labels
    ]
    columns = widened(_LEAVES, rows)
    yield heading(columns)
    for row in rows:
        yield line(row, columns)


def _confused(scores: Scores) -> Iterator[str]:
    yield heading(_CONFUSIONS)
    for confusion in scores.confusions[:_SHOWN_CONFUSIONS]:
        yield line((confusion.label, confusion.answer, ", ".join(confusion.cases)), _CONFUSIONS)
    left = len(scores.confusions) - _SHOWN_CONFUSIONS
    if left > 0:
        yield f"and {left} more; -o json has all"
