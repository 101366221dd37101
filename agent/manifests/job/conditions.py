"""Our pod conditions in a ``podFailurePolicy``: Kubernetes takes any type, so a wrong one would never match."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE, PREFIX, category_of, of_category
from agent.core.job.words import PolicyRule
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node, find, items, text_at, write_path
from agent.documents.problem import nearest_or_all, quote
from agent.documents.source import Fault

POLICY: Final[Steps] = ("spec", "podFailurePolicy", "rules")
_KNOWN: Final = (INFRASTRUCTURE, HOPELESS)


def condition_faults(job: Node, *, asking: Collection[str] | None = None) -> Iterator[Fault]:
    """Yield the faults of our conditions in a Job.

    ``asking`` are the categories that ask for a condition; ``None`` if it is not known which rules are in use.
    """
    for place, rule in items(find(job, POLICY)):
        for number, pattern in items(find(rule, ("onPodConditions",))):
            written = find(pattern, ("type",))
            condition = text_at(written) or ""
            at: Steps = (*POLICY, place, "onPodConditions", number)
            if written is not None and condition.startswith(PREFIX):
                yield from unknown_condition(written, condition, asking, at=(*at, "type"))
                yield from _never_true(find(pattern, ("status",)), condition, at=(*at, "status"))


def conditions_of_outcomes(root: Node) -> Iterator[Fault]:
    """Yield the faults of our conditions in outcomes of pods."""
    for place, outcome in items(find(root, ("outcomes",))):
        for number, written in items(find(outcome, ("conditions",))):
            condition = text_at(written) or ""
            if condition.startswith(PREFIX):
                yield from unknown_condition(written, condition, None, at=("outcomes", place, "conditions", number))


def unknown_condition(written: Node, condition: str, asking: Collection[str] | None, *, at: Steps) -> Iterator[Fault]:
    """Yield the fault of a condition with our prefix that nothing sets."""
    category = category_of(condition)
    if condition in _KNOWN or (category is not None and (asking is None or category in asking)):
        return
    if category is not None:
        message = f"no rule file gives the category {quote(category)} a condition"
        hint = f"write `condition: true` in the category; {nearest_or_all(category, sorted(asking or ()))}"
    else:
        # Without their prefix, which would make all names alike.
        name, known = (part.removeprefix(PREFIX) for part in (condition, of_category("NAME")))
        message = f"{quote(PREFIX)} has no condition {quote(name)}"
        hint = nearest_or_all(name, [*(other.removeprefix(PREFIX) for other in _KNOWN), known])
    yield Fault(code="unknown-condition", span=written.span, path=write_path(at), message=message, hint=hint)


def _never_true(status: Node | None, condition: str, *, at: Steps) -> Iterator[Fault]:
    if status is not None and text_at(status) not in (None, "", "True"):
        message = f"{condition} is True or not there, so this never matches"
        yield Fault(
            code="never-true", span=status.span, path=write_path(at), message=message, hint='write status: "True"'
        )


def hidden_conditions(rules: Sequence[PolicyRule], finder: Finder, *, at: Steps = POLICY) -> Iterator[Fault]:
    """Yield rules on exit codes before a rule for one of our conditions: such pods may exit with any code."""
    for place, rule in enumerate(rules):
        later = (other for other in rules[place + 1 :] if other.action != rule.action)
        hidden = list(dict.fromkeys(pattern.type for other in later for pattern in other.pod_conditions))
        ours = [condition for condition in hidden if condition.startswith(PREFIX)]
        if rule.exit_codes is not None and ours:
            message = f"pods with {' and '.join(ours)} may exit with such a code, and then this rule decides"
            hint = f"put the rule for {ours[0]} first"
            yield finder.finding("condition-hidden", message, at=(*at, place), hint=hint)
