"""The suggestion for a JobSet: its Jobs fail at once, and rules of ``failurePolicy`` restart all of them."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from agent.core.job.limits import POD_FAILURE_POLICY
from agent.core.job.plain import Plain
from agent.core.jobset.words import FAIL_JOB_SET, RESTART_JOB_SET_UNCOUNTED
from agent.core.suggestion.change import Change, Insert, Put, Steps, Suggestion, list_at, mapping_at
from agent.core.suggestion.job import JobSuggestion, made_by_server, relation_of, suggest_spec
from agent.core.suggestion.rules import DISRUPTION_TARGET
from agent.core.suggestion.together import Judged, Relation

_POLICY: Final[Steps] = ("spec", "failurePolicy")
_FOUND: Final = Judged(relation=Relation.TOGETHER, because="the Jobs of a JobSet are started and restarted together")


def _rule(name: str, action: str, *conditions: str) -> dict[str, object]:
    """A rule for Jobs that failed by a rule on one of these conditions: only the message says by which."""
    names = "|".join(condition.replace(".", "[.]") for condition in conditions)
    return {
        "name": name,
        "action": action,
        "onJobFailureReasons": [POD_FAILURE_POLICY],
        "onJobFailureMessagePatterns": [f"has condition ({names}) matching"],
    }


# The one that ends comes first: JobSet before v0.10 drops the patterns, and then the first rule decides for both.
RULES: Final = (
    (
        _rule("hopeless", FAIL_JOB_SET, HOPELESS),
        "no retry helps: the JobSet would fail again",
    ),
    (
        _rule("infrastructure", RESTART_JOB_SET_UNCOUNTED, INFRASTRUCTURE, DISRUPTION_TARGET),
        "the cluster caused the failure: all Jobs are restarted, and `maxRestarts` does not count it",
    ),
)
"""The rules of ``failurePolicy``, in their order, and why."""

WITHOUT_LIMIT: Final = (
    f"{RESTART_JOB_SET_UNCOUNTED} has no limit in JobSet, and each restart makes new Jobs, for which failure-agent's "
    "own limit for an index starts from zero"
)

OTHERS_END: Final = (
    "any other failed Job ends the JobSet as before, now with the reason ReachedMaxRestarts; `maxRestarts` of "
    "failurePolicy allows restarts"
)


def suggest_jobset(jobset: Plain, *, said: Relation | None = None) -> JobSuggestion:
    """Suggest what a JobSet lacks, as ``suggest_job``. Raises ``TooManyRulesError``."""
    whole, relations = Suggestion(), set()
    for place, replicated_job in enumerate(list_at(jobset, ("spec", "replicatedJobs"))):
        spec = mapping_at(replicated_job, ("template", "spec"))
        relation = relation_of(spec, _FOUND, said=said).relation
        relations.add(relation)
        at: Steps = ("spec", "replicatedJobs", place, "template", "spec")
        whole += suggest_spec(spec, relation, at=at, restarted=True)
    judged = _FOUND if said is None else Judged(relation=said, because="as you say")
    if Relation.TOGETHER in relations:
        whole += _suggest_restarts(jobset)
    if Relation.INDEPENDENT in relations:
        warning = f"a lost pod is replaced alone, but {_FOUND.because}: if the pods need one another, they will wait"
        whole += Suggestion(warnings=(warning,))
    leftovers = Suggestion(changes=tuple(made_by_server(jobset)) if whole.changes else ())
    return JobSuggestion(judged=judged, suggestion=leftovers + whole)


def _suggest_restarts(jobset: Plain) -> Suggestion:
    policy = mapping_at(jobset, _POLICY)
    rules = list_at(policy, ("rules",))
    changes: list[Change] = []
    missing = [(rule, why) for rule, why in RULES if _place(rules, rule) is None and not _is_taken(rules, rule)]
    if missing and not policy:
        changes.append(Put(at=_POLICY, value={"rules": []}, why=""))
    elif missing and not rules:
        changes.append(Put(at=(*_POLICY, "rules"), value=[], why=""))
    changes += [
        Insert(at=(*_POLICY, "rules", place), value=rule, why=f"{rule['action']}: {why}")
        for place, (rule, why) in enumerate(missing)
    ]
    notes = (WITHOUT_LIMIT, *(() if "failurePolicy" in mapping_at(jobset, ("spec",)) else (OTHERS_END,)))
    return Suggestion(changes=tuple(changes), warnings=tuple(_prevented(rules)), notes=notes if missing else ())


def _place(rules: Sequence[Plain], wanted: Plain) -> int | None:
    places = (place for place, rule in enumerate(rules) if _without_name(rule) == _without_name(wanted))
    return next(places, None)


def _without_name(rule: Plain) -> dict[str, object]:
    return {field: value for field, value in rule.items() if field != "name"}


def _is_taken(rules: Sequence[Plain], wanted: Plain) -> bool:
    return any(rule.get("name") == wanted["name"] for rule in rules)


def _prevented(rules: Sequence[Plain]) -> Iterator[str]:
    for wanted, why in RULES:
        place = _place(rules, wanted)
        if place is None and _is_taken(rules, wanted):
            yield (
                f"failurePolicy has another rule with the name {wanted['name']}, which is kept: rename it, and run "
                f"this again, for {wanted['action']}: {why}"
            )
        for earlier, rule in enumerate(rules[: place or 0]):
            if rule.get("action") != wanted["action"] and _takes_all(rule):
                yield (
                    f"failurePolicy.rules[{earlier}] decides before rules[{place}] ({wanted['name']}): move "
                    f"rules[{place}] before it"
                )


def _takes_all(rule: Plain) -> bool:
    """Whether a rule matches every Job that failed by a rule of its own."""
    reasons = list_at(rule, ("onJobFailureReasons",))
    narrows = ("onJobFailureMessagePatterns", "targetReplicatedJobs")
    return (not reasons or POD_FAILURE_POLICY in reasons) and not any(list_at(rule, (field,)) for field in narrows)
