"""Examples of a rule file: whether the answer to each is that of its label, and if not, which rule won instead.

A label decides only about what it says: a category alone, or with a subcategory, and whatever else it has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from agent.console.paragraphs import paragraph
from agent.console.terminal import Palette, visible
from agent.core.classify.classifier import Classifier
from agent.core.classify.explanation import Consideration, RuleOutcome
from agent.core.failure import Match
from agent.core.failure_text.category import leaf
from agent.core.summary.redaction import Redactor
from agent.diagnose.diagnosis import Diagnoser, Diagnosis, State
from agent.documents.problem import nearest
from agent.evaluate.grades import right_advice
from agent.evaluate.labelled import Labelled, case_of
from agent.evaluate.scores import Case, category, fits, is_of_nothing

_INDENT: Final = 6
_LABELLED: Final = 16
"""Cells before the text of a line below a failed example."""

_UNFAILED: Final[Mapping[State, str]] = {
    State.HEALTHY: "nothing failed",
    State.WAITS: "the pod waits",
    State.NOT_KNOWN: "nothing is known of the pod",
}

_FIRST: Final = {RuleOutcome.MATCHED: 2, RuleOutcome.REFUSED: 1}
"""Of the rules with the expected category, one that matched came nearer than any that did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What the answer has, and what the label expects."""

    what: str
    found: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A labelled failure and its answer. ``won`` is the rule that decided, in words, or why none did.

    ``miss`` is the nearest rule with the category of the label, where that did not win; empty without one.
    """

    name: str
    category: str
    differences: tuple[Difference, ...]
    won: str
    miss: str = ""

    @property
    def passed(self) -> bool:
        return not self.differences


def judge(labelled: Labelled, classifier: Classifier, redactor: Redactor) -> Example:
    """Compare the answer to a labelled failure with its label."""
    diagnosis = Diagnoser(classifier=classifier, redactor=redactor).diagnose(labelled.subject, now=datetime.now(UTC))
    case = case_of(labelled, diagnosis)
    return Example(
        name=labelled.name,
        category=case.answer.leaf,
        differences=tuple(differences(case)),
        won=_won(diagnosis),
        miss="" if case.right else _miss(labelled, classifier, redactor),
    )


def differences(case: Case) -> Iterator[Difference]:
    """What the label says and the answer does not. Of advice the rule's own counts, even if it is only tried."""
    label, answer = case.label, case.answer
    if not case.right:
        yield Difference(what="category", found=answer.leaf, expected=label.leaf)
    if label.origin is not None and not case.right_origin:
        yield Difference(what="origin", found=answer.origin, expected=label.origin)
    if label.retryable is not None and not right_advice(case):
        expected = f"retryable: {str(label.retryable).lower()}"
        yield Difference(what="advice", found=f"retry: {answer.advice}" if answer.advice else "", expected=expected)
    if label.key_line is not None and not case.right_key_line:
        yield Difference(what="keyLine", found=answer.key_line.strip(), expected=label.key_line.strip())
    if label.grade is not None and answer.grade is not label.grade:
        yield Difference(what="grade", found=answer.grade or "", expected=label.grade)
    if label.state is not None and answer.state != label.state:
        yield Difference(what="state", found=answer.state, expected=label.state)


def _won(diagnosis: Diagnosis) -> str:
    if diagnosis.failure is None:
        return f"no rule: {_UNFAILED[diagnosis.state]} ({diagnosis.reason})"
    matches = diagnosis.failure.classification.matches
    return f"{_rule(matches[0])}: {_hit(matches[0])}" if matches else "no rule: none matches"


def _miss(labelled: Labelled, classifier: Classifier, redactor: Redactor) -> str:
    """The rule of the expected category that came nearest, and why it did not win."""
    expected = labelled.label.leaf
    if is_of_nothing(expected):
        return ""
    explaining = Diagnoser(classifier=classifier, redactor=redactor, explain=True)
    rules = explaining.diagnose(labelled.subject, now=datetime.now(UTC)).considerations
    own = [rule for rule in rules if fits(leaf(rule.category, rule.subcategory), expected)]
    if not own:
        leaves = [leaf(rule.category, rule.subcategory) for rule in rules]
        known = leaves if "/" in expected else map(category, leaves)
        said = f"no rule has the category {expected}"
        return f"{said}; {hint}" if (hint := nearest(expected, known)) else said
    near = max(own, key=lambda rule: (_FIRST.get(rule.outcome, 0), rule.nearness))
    matched = "matches too, but the rule that won takes precedence: " if near.outcome is RuleOutcome.MATCHED else ""
    return f"{_rule(near)}: {matched}{near.matcher}: {near.why}"


def _hit(match: Match) -> str:
    return f'{match.matcher}: {match.where}: "{match.text}"'


def _rule(rule: Match | Consideration) -> str:
    pack = f" of {rule.pack}" if rule.pack else ""
    return f"{leaf(rule.category, rule.subcategory)} rule {rule.rule_index}{pack}"


def lines(examples: Sequence[Example], *, columns: int | None, palette: Palette) -> Iterator[str]:
    """A line for each that passed, more for one that failed, and how many there are of both."""
    for example in examples:
        yield from _passed(example, columns, palette) if example.passed else _failed(example, columns, palette)
    failed = sum(not example.passed for example in examples)
    yield f"{len(examples) - failed} passed, {failed} failed"


def _passed(example: Example, columns: int | None, palette: Palette) -> Iterator[str]:
    yield from _marked(palette.good("PASS"), f"{example.name}: {example.category}", columns)


def _failed(example: Example, columns: int | None, palette: Palette) -> Iterator[str]:
    yield from _marked(palette.bad("FAIL"), example.name, columns)
    for difference in example.differences:
        found = f"{difference.found or 'none'}; expected {difference.expected or 'none'}"
        yield from _labelled(difference.what, found, columns)
    yield from _labelled("won", example.won, columns)
    if example.miss:
        yield from _labelled("near miss", example.miss, columns)


def _marked(mark: str, text: str, columns: int | None) -> Iterator[str]:
    first, *more = paragraph("", visible(text), indent=_INDENT, columns=columns)
    yield f"{mark}{first[len('PASS') :]}"
    yield from more


def _labelled(label: str, text: str, columns: int | None) -> Iterator[str]:
    return paragraph(f"{'':{_INDENT}}{label}", visible(text), indent=_LABELLED, columns=columns)
