"""How well a rule file does on labelled failures. Pure; shares are of all cases, from 0 to 1."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.failure import Advice, Origin

HEALTHY = "none/success"
"""The subcategory of the answer that nothing failed."""

_RETRY_UNCHANGED = (Advice.SAME, Advice.ELSEWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A person's label for a case. ``retryable`` is ``None`` if not known."""

    leaf: str
    origin: Origin
    retryable: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of the rules for a case. ``classified`` is false for the file's default category."""

    leaf: str
    origin: Origin
    advice: Advice | None
    classified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled failure and the answer to it."""

    name: str
    label: Label
    answer: Answer

    @property
    def right(self) -> bool:
        """Whether the answer names the label's leaf."""
        return self.answer.leaf == self.label.leaf

    @property
    def wrong_retryable(self) -> bool:
        """Whether the answer advises an unchanged retry although the label says that it cannot help."""
        return self.label.retryable is False and self.answer.advice in _RETRY_UNCHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScore:
    """One leaf: how many cases carry it, and how many answers name it rightly."""

    leaf: str
    cases: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Cases of one leaf that were answered with another."""

    label: str
    answer: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All figures of one evaluation. ``unclassified`` and ``wrong_retryable`` are counts."""

    cases: int
    leaf_accuracy: float
    category_accuracy: float
    origin_accuracy: float
    unclassified: int
    wrong_retryable: int
    labels: tuple[LabelScore, ...]
    confusions: tuple[Confusion, ...]


def score(cases: Sequence[Case]) -> Scores:
    """The scores of all cases; all shares are 0 where there is no case."""
    return Scores(
        cases=len(cases),
        leaf_accuracy=_share([case.right for case in cases]),
        category_accuracy=_share([_category(case.answer.leaf) == _category(case.label.leaf) for case in cases]),
        origin_accuracy=_share([case.answer.origin is case.label.origin for case in cases]),
        unclassified=sum(not case.answer.classified for case in cases),
        wrong_retryable=sum(case.wrong_retryable for case in cases),
        labels=_labels(cases),
        confusions=_confusions(cases),
    )


def _share(truths: Sequence[bool]) -> float:
    return round(sum(truths) / len(truths), 4) if truths else 0.0


def _category(leaf: str) -> str:
    return leaf.partition("/")[0]


def _labels(cases: Sequence[Case]) -> tuple[LabelScore, ...]:
    total = Counter(case.label.leaf for case in cases)
    right = Counter(case.label.leaf for case in cases if case.right)
    return tuple(LabelScore(leaf=leaf, cases=total[leaf], right=right[leaf]) for leaf in sorted(total))


def _confusions(cases: Sequence[Case]) -> tuple[Confusion, ...]:
    """Most frequent first, then by name."""
    names: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        if not case.right:
            names.setdefault((case.label.leaf, case.answer.leaf), []).append(case.name)
    ordered = sorted(names.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Confusion(label=label, answer=answer, cases=tuple(ids)) for (label, answer), ids in ordered)
