"""The conditions that a rule file gives the pods of a simulated Job, as ``failctl job simulate`` prints them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from agent.core.admission.conditions import PodCondition, Withheld, conditions_of
from agent.core.admission.quoted import blames_by_quotes
from agent.core.classify.rules import asking
from agent.core.evidence import Evidence
from agent.core.job.marks import Mark, Marks, names_ours, no_marks
from agent.core.job.words import PolicyRule
from agent.settings.admission import AdmissionSettings

MOST: Final[int] = AdmissionSettings.model_fields["per_index"].default
"""How often an index gets a condition where the settings do not say it."""


def load_marks(rules: Path | None, policies: Iterable[Sequence[PolicyRule] | None]) -> Callable[[], Marks | None]:
    """Return what makes the marks of a Job: by a rule file, else by the shipped one if a policy asks for conditions.

    Raises UsageError for a rule file that cannot be used.
    """
    if rules is None and not any(map(names_ours, policies)):
        return no_marks
    from agent.ctl.rule_file import load_with_rules  # noqa: PLC0415 - most simulations need no rules, which take long

    classifier, rule_set = load_with_rules(rules)
    named = asking(rule_set)

    def given(evidence: Evidence) -> tuple[PodCondition, ...] | Withheld:
        early = classifier.classify_early(evidence, logs=())
        if blames_by_quotes(classifier, evidence, early.given):
            return Withheld.USER_TEXT
        found = conditions_of(early.given, asking=named, redact=str)
        return found if early.settled or isinstance(found, Withheld) else Withheld.UNASKED

    return lambda: Marks(conditions_of=given, most=MOST)


def mark_lines(marks: Sequence[Mark]) -> Iterator[str]:
    """Yield a line for all pods that got the same conditions, or none for the same reason."""
    for mark, count in Counter(marks).items():
        what = ", ".join(mark.conditions) or "no condition"
        pods = "" if count == 1 else f" ({count} pods)"
        yield f"  by rules: {what}: {mark.why}{pods}"
