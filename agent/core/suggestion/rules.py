"""The rules that a ``podFailurePolicy`` lacks to act on our conditions, and what prevents those that it has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from agent.core.job.plain import Plain
from agent.core.job.validation_policy import MOST_RULES
from agent.core.job.words import FAIL_INDEX, FAIL_JOB, IGNORE
from agent.core.suggestion.change import Change, Insert, Put, Steps, Suggestion, list_at
from agent.core.suggestion.together import Relation

DISRUPTION_TARGET: Final = "DisruptionTarget"
POLICY: Final = "podFailurePolicy"
_EXCLUSIVE: Final = frozenset({HOPELESS, INFRASTRUCTURE, DISRUPTION_TARGET})


class TooManyRulesError(ValueError):
    """A policy has no room for the rules that it lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One rule: what happens to pods with a condition, and why."""

    condition: str
    action: str
    why: str

    def rule(self) -> dict[str, object]:
        """Return it as a rule of ``podFailurePolicy``."""
        return {"action": self.action, "onPodConditions": [{"type": self.condition, "status": "True"}]}


def wanted_rules(relation: Relation, *, per_index: bool, restarted: bool) -> tuple[Wanted, ...]:
    """Return the rules for pods of this relation. ``restarted``: something starts a Job again that failed by a rule.

    ``Hopeless`` comes first, so that nothing repeats what cannot succeed.
    """
    hopeless = Wanted(
        condition=HOPELESS, action=FAIL_INDEX if per_index else FAIL_JOB, why="no retry helps: the pod would fail again"
    )
    if relation is Relation.INDEPENDENT:
        return (
            hopeless,
            Wanted(
                condition=INFRASTRUCTURE,
                action=IGNORE,
                why="the cluster caused the failure: the pod runs again, and no limit of the Job counts it. Kubernetes "
                "has no limit for Ignore; failure-agent sets the condition at most three times for an index "
                "(`admission.perIndex`)",
            ),
            Wanted(
                condition=DISRUPTION_TARGET,
                action=IGNORE,
                why="Kubernetes itself evicted the pod, for a drain or a preemption: it runs again, without any limit",
            ),
        )
    fails = "the cluster caused the failure: the other pods would wait for the lost one, so the Job ends"
    evicted = "Kubernetes itself evicted the pod, for a drain or a preemption: as above"
    infrastructure = Wanted(condition=INFRASTRUCTURE, action=FAIL_JOB, why=fails)
    disrupted = Wanted(condition=DISRUPTION_TARGET, action=FAIL_JOB, why=evicted)
    # Alone, a Job that ends at each drain is worse than one that counts it.
    return (hopeless, infrastructure, disrupted) if restarted else (hopeless, infrastructure)


def suggest_rules(spec: Plain, wanted: Sequence[Wanted], *, at: Steps) -> Suggestion:
    """Suggest the rules that a Job's spec at this path lacks. Raises ``TooManyRulesError`` if there is no room.

    They become the first ones: a failed pod has conditions such as ``Ready`` and any exit code, so that a rule of the
    user's before them could match it.
    """
    rules = list_at(spec, (POLICY, "rules"))
    missing = [rule for rule in wanted if _place(rules, rule.condition) is None]
    if len(rules) + len(missing) > MOST_RULES:
        named = " and ".join(rule.condition for rule in missing)
        raise TooManyRulesError(
            f"podFailurePolicy has {len(rules)} rules of at most {MOST_RULES}, and lacks those for {named}: join rules "
            "that have the same action"
        )
    return Suggestion(changes=tuple(_added(spec, missing, at=at)), warnings=tuple(_prevented(rules, wanted)))


def action_on(spec: Plain, condition: str) -> str | None:
    """Return what a Job's spec already says of a condition; ``None`` if nothing."""
    rules = list_at(spec, (POLICY, "rules"))
    place = _place(rules, condition)
    return None if place is None else str(rules[place].get("action"))


def _place(rules: Sequence[Plain], condition: str) -> int | None:
    """The index of the first rule on a condition that is True."""
    places = (
        place
        for place, rule in enumerate(rules)
        for pattern in list_at(rule, ("onPodConditions",))
        if pattern.get("type") == condition and pattern.get("status") in (None, "", "True")
    )
    return next(places, None)


def _added(spec: Plain, missing: Sequence[Wanted], *, at: Steps) -> Iterator[Change]:
    policy = spec.get(POLICY)
    if not missing:
        return
    if not isinstance(policy, dict):
        yield Put(at=(*at, POLICY), value={"rules": []}, why="")
    elif not policy.get("rules"):
        yield Put(at=(*at, POLICY, "rules"), value=[], why="")
    for place, rule in enumerate(missing):
        yield Insert(
            at=(*at, POLICY, "rules", place), value=rule.rule(), why=f"{rule.action} on {rule.condition}: {rule.why}"
        )


def _prevented(rules: Sequence[Plain], wanted: Sequence[Wanted]) -> Iterator[str]:
    """What rules that are there say otherwise, or decide earlier."""
    for rule in wanted:
        place = _place(rules, rule.condition)
        if place is None:
            continue
        action = rules[place].get("action")
        if action != rule.action:
            yield (
                f"rules[{place}] says {action} for {rule.condition}, and is kept; the suggestion is {rule.action}: "
                f"{rule.why}"
            )
        for earlier, other in enumerate(rules[:place]):
            matched = _matched_otherwise(other)
            if matched is not None and other.get("action") != action:
                yield (
                    f"rules[{earlier}] on {matched} decides before rules[{place}] on {rule.condition}: move "
                    f"rules[{place}] before it"
                )


def _matched_otherwise(rule: Plain) -> str | None:
    """What a rule matches that a pod with one of our conditions may have, too; ``None`` if nothing.

    A pod has one of our conditions and ``DisruptionTarget`` at most, except that a category may have its own.
    """
    if rule.get("onExitCodes") is not None:
        return "exit codes"
    types = (str(pattern.get("type")) for pattern in list_at(rule, ("onPodConditions",)))
    return next((kind for kind in types if kind not in _EXCLUSIVE), None)
