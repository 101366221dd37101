"""Judges or scores a rule file on labelled failures, and prints the result: ``failctl evaluate``."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TextIO, assert_never

from agent.console.columns import Column, heading, line, widened
from agent.console.exits import Exit
from agent.console.inputs import inputs
from agent.console.options import Form
from agent.console.paragraphs import paragraph
from agent.console.progress import Progress
from agent.console.terminal import palette, visible, width
from agent.core.classify.rules import RuleSet
from agent.core.summary.redaction import Redactor
from agent.evaluate.examples import Example, judge, lines
from agent.evaluate.grades import Graded, graded
from agent.evaluate.held_out import Compile, WithoutPack, WithoutSource, without_pack, without_source
from agent.evaluate.labelled import Labelled, answer, read_labelled
from agent.evaluate.scores import Case, Part, Scores, score
from agent.evaluate.share import Share

_SHOWN_CONFUSIONS = 20
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
_GRADES = (
    Column(heading="GRADE", width=8),
    Column(heading="CASES", width=16),
    Column(heading="LEAF", width=16),
    Column(heading="ORIGIN", width=16),
    Column(heading="ADVICE"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """That failures are scored as a corpus, and not judged one by one.

    ``leave_out`` scores the failures also without the rules of their own source, or without the pack that decides them.
    ``fail_under`` is the share of right leaves, in percent, below which the exit code is 1.
    """

    leave_out: Literal["source", "pack"] | None = None
    fail_under: float | None = None

    @property
    def is_wanted(self) -> bool:
        return self.leave_out is not None or self.fail_under is not None


def run(
    files: Sequence[str | Path],
    *,
    rules: RuleSet,
    compiled: Compile,
    scoring: Scoring,
    output: Form,
    out: TextIO,
    err: TextIO,
) -> Exit:
    """Judge or score the labelled failures in the files. Raises UsageError for one that cannot be read or has no label.

    The exit code is 1 if one is not answered as its label says, or, where they are scored, if too few are.
    """
    classifier = compiled(rules)
    labelled = list(Progress(err, noun="cases").counting(read_labelled(inputs(files))))
    if scoring.is_wanted:
        cases = [answer(failure, classifier, Redactor()) for failure in labelled]
        held_out = _left_out(labelled, cases, rules, compiled, scoring=scoring, err=err)
        scores = score(cases)
        _write_scores(scores, graded(cases), held_out, output, out)
        under = scoring.fail_under is not None and 100 * scores.all.leaf.share < scoring.fail_under
        return Exit.FINDING if under else Exit.FINE
    examples = [judge(failure, classifier, Redactor()) for failure in labelled]
    _write_examples(examples, output, out)
    return Exit.FINE if all(example.passed for example in examples) else Exit.FINDING


def _left_out(
    labelled: Sequence[Labelled],
    cases: Sequence[Case],
    rules: RuleSet,
    compiled: Compile,
    *,
    scoring: Scoring,
    err: TextIO,
) -> WithoutSource | WithoutPack | None:
    match scoring.leave_out:
        case None:
            return None
        case "source":
            return without_source(labelled, rules, compiled, err=err)
        case "pack":
            return without_pack(labelled, {case.name: case for case in cases}, rules, compiled, err=err)
        case _:
            assert_never(scoring.leave_out)


def _write_scores(
    scores: Scores, grades: Graded, held_out: WithoutSource | WithoutPack | None, output: Form, out: TextIO
) -> None:
    if output != "json":
        out.writelines(f"{text}\n" for text in (*_held_out(held_out), *_table(scores, grades)))
        return
    more = {}
    if held_out is not None:
        more = {"without_source" if isinstance(held_out, WithoutSource) else "without_pack": asdict(held_out)}
    out.write(json.dumps(asdict(scores) | {"graded": asdict(grades)} | more) + "\n")


def _write_examples(examples: Sequence[Example], output: Form, out: TextIO) -> None:
    if output == "json":
        documents = [asdict(example) | {"passed": example.passed} for example in examples]
        out.write(json.dumps({"examples": documents}, indent=2) + "\n")
    else:
        out.writelines(f"{text}\n" for text in lines(examples, columns=width(out), palette=palette(out)))


def _held_out(figures: WithoutSource | WithoutPack | None) -> Iterator[str]:
    if figures is None:
        return
    if isinstance(figures, WithoutSource):
        yield f"Without the rules that rest on the source of a failure alone ({figures.sources} sources):"
        yield f"  {figures.removed} rules rest on one source; {figures.unsourced} name no source and always count"
    else:
        yield f"Without the pack that decides a failure ({figures.packs} packs):"
    yield f"  leaf      {figures.leaf}"
    yield f"  category  {figures.category}"
    yield f"  origin    {figures.origin}"
    yield ""
    yield from _graded(figures.graded)
    yield ""
    yield "With all rules:"


def _graded(figures: Graded) -> Iterator[str]:
    if any(row.cases.count for row in figures.grades):
        yield heading(_GRADES)
        for row in figures.grades:
            yield line((row.grade, *map(str, (row.cases, row.leaf, row.origin, row.advice))), _GRADES)
        yield ""
    for name, figure in (
        ("wrong never", figures.wrong_never),
        ("wrong retry", figures.wrong_retry),
        ("try where it helps", figures.try_where_it_helps),
        ("try where hopeless", figures.try_where_hopeless),
        ("origin named", figures.named),
        ("origin right if named", figures.origin_named),
        ("infra falsely named", figures.falsely_infra),
        ("grade of the label", figures.grade),
        ("state of the label", figures.state),
    ):
        yield line((name, str(figure)), _FIGURES[:2])


def _table(scores: Scores, grades: Graded) -> Iterator[str]:
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
    yield from _graded(grades)
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
