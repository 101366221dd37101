"""Compares the answers of a rule file with labels. Pure.

Two mistakes about retries cost most, so each has its own count: advice to retry although it cannot help, which wastes a
run (``wrong_retryable``), and advice never to retry although it would help, which loses a job (``wrong_hopeless``).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.core.classify.advised import in_effect
from agent.core.failure import Advice, Advised, Grade, Origin
from agent.evaluate.share import Share, share

HEALTHY = "none/success"
"""The leaf of the answer that nothing failed."""

WAITING = "none/waiting"
"""The leaf of the answer that a pod has not failed, but waits."""

NOT_KNOWN = "none/unknown"
"""The leaf of the answer that nothing is known of a pod."""

_NOTHING_FAILED = "none"
_RETRY_UNCHANGED = (Advised.SAME, Advised.ELSEWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A person's label for a case. What is ``None`` is not known, or not said.

    ``leaf`` may be a category alone. ``grade`` is how well an answer may know, ``state`` what the answer may be:
    ``failed``, ``waits`` or ``not-known``. Few cases have them.
    """

    leaf: str
    origin: Origin | None = None
    retryable: bool | None = None
    key_line: str | None = None
    grade: Grade | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of the rules for a case. ``classified`` is false for the file's default category.

    ``corroborated`` is false if only the output of a program blames infrastructure or the platform. ``pack`` is that
    of the primary rule.
    """

    leaf: str
    origin: Origin
    advice: Advice | None
    classified: bool
    corroborated: bool = True
    key_line: str = ""
    grade: Grade | None = None
    state: str = "failed"
    pack: str = ""

    @property
    def advised(self) -> Advised | None:
        """What is advised in effect."""
        return in_effect(self.advice, self.grade, self.origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled failure and the answer to it.

    ``hard``: its author found it hard to label. ``source`` is the repository it comes from; ``exit_code`` that of the
    first container that failed.
    """

    name: str
    label: Label
    answer: Answer
    hard: bool = False
    source: str = ""
    exit_code: int | None = None

    @property
    def right(self) -> bool:
        """Whether the answer names the label's leaf, or one of its category if the label names no more."""
        return fits(self.answer.leaf, self.label.leaf)

    @property
    def right_category(self) -> bool:
        """Whether the answer names the label's category."""
        return category(self.answer.leaf) == category(self.label.leaf)

    @property
    def has_origin(self) -> bool:
        """Whether the label says who caused the failure; where nothing failed, nobody did."""
        return self.label.origin is not None and not is_of_nothing(self.label.leaf)

    @property
    def right_origin(self) -> bool:
        """Whether the answer names the label's origin."""
        return self.answer.origin is self.label.origin

    @property
    def wrong_retryable(self) -> bool:
        """Whether the answer advises an unchanged retry although the label says that it cannot help."""
        return self.label.retryable is False and self.answer.advised in _RETRY_UNCHANGED

    @property
    def wrong_hopeless(self) -> bool:
        """Whether the answer advises against any retry although the label says that it helps."""
        return self.label.retryable is True and self.answer.advised is Advised.NEVER

    @property
    def right_key_line(self) -> bool:
        """Whether the key line is the line that the label marks."""
        return (self.label.key_line or "").strip() == self.answer.key_line.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScore:
    """One leaf: the number of cases with this label, and how many answers are right; ``hard`` cases also separately."""

    leaf: str
    cases: int
    right: int
    hard_cases: int
    hard_right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Cases of one leaf that were answered with another."""

    label: str
    answer: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The figures for some of the cases. Shares of wrong advice are of the cases whose label says the opposite.

    ``origin`` is of the failures whose label has one; ``without_advice`` of those with a label on retries.
    ``wrong_retryable_uncorroborated`` are wrong retries that were marked as uncorroborated.
    """

    leaf: Share
    category: Share
    origin: Share
    wrong_retryable: Share
    wrong_retryable_uncorroborated: Share
    wrong_hopeless: Share
    changed_though_retryable: Share
    without_advice: Share
    key_line: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The scores of a trivial classifier, which sees nothing or only the exit code: rules must be better than it."""

    name: str
    leaf: Share
    category: Share
    origin: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All figures of one evaluation: accuracies are shares from 0 to 1, ``unclassified`` and ``wrong_...`` counts.

    ``mistakes`` has the names of the cases with wrong advice.
    """

    cases: int
    leaf_accuracy: float
    category_accuracy: float
    origin_accuracy: float
    unclassified: int
    wrong_retryable: int
    wrong_hopeless: int
    all: Part
    easy: Part
    hard: Part
    baselines: tuple[Baseline, ...]
    labels: tuple[LabelScore, ...]
    confusions: tuple[Confusion, ...]
    mistakes: Mapping[str, tuple[str, ...]]


def category(leaf: str) -> str:
    """The category of a leaf: ``oom`` of ``oom/shm``. Where nothing failed, each leaf is a category of its own."""
    return leaf if is_of_nothing(leaf) else leaf.partition("/")[0]


def is_of_nothing(leaf: str) -> bool:
    """Whether a leaf says that nothing failed, or that no rule matched."""
    return leaf.partition("/")[0] == _NOTHING_FAILED


def fits(leaf: str, label: str) -> bool:
    """Whether a leaf is that of a label, or one of its category if the label is a category alone."""
    return leaf == label or ("/" not in label and category(leaf) == label)


def score(cases: Sequence[Case]) -> Scores:
    """The scores of all cases; all accuracies are 0 where there is no case."""
    whole = part(cases)
    return Scores(
        cases=len(cases),
        leaf_accuracy=round(whole.leaf.share, 4),
        category_accuracy=round(whole.category.share, 4),
        origin_accuracy=round(whole.origin.share, 4),
        unclassified=sum(not case.answer.classified for case in cases),
        wrong_retryable=whole.wrong_retryable.count,
        wrong_hopeless=whole.wrong_hopeless.count,
        all=whole,
        easy=part([case for case in cases if not case.hard]),
        hard=part([case for case in cases if case.hard]),
        baselines=(
            _baseline("constant", cases, lambda _: None),
            _baseline("exit code", cases, lambda case: case.exit_code),
        ),
        labels=_labels(cases),
        confusions=_confusions(cases),
        mistakes={
            "wrong_retryable": tuple(case.name for case in cases if case.wrong_retryable),
            "wrong_hopeless": tuple(case.name for case in cases if case.wrong_hopeless),
        },
    )


def part(cases: Sequence[Case]) -> Part:
    """The figures for these cases."""
    helps = [case for case in cases if case.label.retryable is True]
    hopeless = [case for case in cases if case.label.retryable is False]
    return Part(
        leaf=share([case.right for case in cases]),
        category=share([case.right_category for case in cases]),
        origin=share([case.right_origin for case in cases if case.has_origin]),
        wrong_retryable=share([case.wrong_retryable for case in hopeless]),
        wrong_retryable_uncorroborated=share(
            [case.wrong_retryable and not case.answer.corroborated for case in hopeless]
        ),
        wrong_hopeless=share([case.wrong_hopeless for case in helps]),
        changed_though_retryable=share([case.answer.advised is Advised.CHANGED for case in helps]),
        without_advice=share(
            [case.answer.advice is None or not case.answer.classified for case in (*helps, *hopeless)]
        ),
        key_line=share([case.right_key_line for case in cases if case.label.key_line is not None]),
    )


def _baseline(name: str, cases: Sequence[Case], seen: Callable[[Case], object]) -> Baseline:
    """The scores if every case gets the most frequent label of the cases with the same value of ``seen``.

    It takes the labels from these very cases, so no classifier that sees only this value scores better.
    """

    def right(labels: Callable[[Case], str], among: Iterable[Case]) -> Share:
        groups: dict[object, list[str]] = {}
        for case in among:
            groups.setdefault(seen(case), []).append(labels(case))
        counts = {key: (max(Counter(group).values()), len(group)) for key, group in groups.items()}
        return share([truth for best, of in counts.values() for truth in [True] * best + [False] * (of - best)])

    return Baseline(
        name=name,
        leaf=right(lambda case: case.label.leaf, cases),
        category=right(lambda case: category(case.label.leaf), cases),
        origin=right(lambda case: str(case.label.origin), [case for case in cases if case.has_origin]),
    )


def _labels(cases: Sequence[Case]) -> tuple[LabelScore, ...]:
    by_leaf: dict[str, list[Case]] = {}
    for case in cases:
        by_leaf.setdefault(case.label.leaf, []).append(case)
    return tuple(_label_score(leaf, by_leaf[leaf]) for leaf in sorted(by_leaf))


def _label_score(leaf: str, cases: Sequence[Case]) -> LabelScore:
    hard = [case.right for case in cases if case.hard]
    right = sum(case.right for case in cases)
    return LabelScore(leaf=leaf, cases=len(cases), right=right, hard_cases=len(hard), hard_right=sum(hard))


def _confusions(cases: Sequence[Case]) -> tuple[Confusion, ...]:
    """Most frequent first, then by name."""
    names: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        if not case.right:
            names.setdefault((case.label.leaf, case.answer.leaf), []).append(case.name)
    ordered = sorted(names.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Confusion(label=label, answer=answer, cases=tuple(ids)) for (label, answer), ids in ordered)
