"""The suggestion for a Job, alone or as a template of a JobSet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agent.core.identity.conditions import INFRASTRUCTURE
from agent.core.job.plain import Plain
from agent.core.job.words import FAIL_INDEX, FAIL_JOB, FAILED_ONLY, IGNORE, INDEXED, NEVER
from agent.core.suggestion.change import Change, Put, Remove, Steps, Suggestion, mapping_at
from agent.core.suggestion.rules import POLICY, action_on, suggest_rules, wanted_rules
from agent.core.suggestion.together import Judged, Relation, judge

_MADE: Final[tuple[Steps, ...]] = (
    ("status",),
    *(
        ("metadata", field)
        for field in ("uid", "resourceVersion", "creationTimestamp", "generation", "selfLink", "managedFields")
    ),
)
"""What the API server writes into an object, and refuses or ignores in a new one."""

_UIDS: Final = ("batch.kubernetes.io/controller-uid", "controller-uid")
_SAID: Final = "as you say"
_NOT_STARTED: Final = "a Job that fails by these rules is not started again; as a JobSet, all of it can be restarted"
_NEW_POD: Final = (
    "with `restartPolicy: Never` each failure makes a new pod: files in emptyDir volumes are lost, and `backoffLimit` "
    "counts failed pods instead of restarts"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSuggestion:
    """The suggestion for a Job, and how its pods depend on one another."""

    judged: Judged
    suggestion: Suggestion


def suggest_job(job: Plain, *, said: Relation | None = None, services: Sequence[Plain] = ()) -> JobSuggestion:
    """Suggest what a Job lacks. ``said`` is how its pods depend on one another, where people say it.

    Raises ``TooManyRulesError``.
    """
    spec, found = mapping_at(job, ("spec",)), judge(job, services=services)
    judged = relation_of(spec, found, said=said)
    suggested = suggest_spec(spec, judged.relation, at=("spec",))
    warnings = (*_in_doubt(found, judged, said), *_ends_every_index(spec, judged.relation))
    notes = (_NOT_STARTED,) if judged.relation is Relation.TOGETHER else ()
    leftovers = Suggestion(changes=tuple(made_by_server(job)) if suggested.changes else ())
    said_too = Suggestion(warnings=warnings, notes=notes)
    return JobSuggestion(judged=judged, suggestion=leftovers + suggested + said_too)


def relation_of(spec: Plain, found: Judged, *, said: Relation | None) -> Judged:
    """Return the relation: what people say, else what a rule of the Job says, else what was found."""
    if said is not None:
        return Judged(relation=said, because=_SAID)
    written = {IGNORE: Relation.INDEPENDENT, FAIL_JOB: Relation.TOGETHER}.get(action_on(spec, INFRASTRUCTURE) or "")
    return found if written in (None, found.relation) else Judged(relation=written, because="as its rules say")


def suggest_spec(spec: Plain, relation: Relation, *, at: Steps, restarted: bool = False) -> Suggestion:
    """Suggest what the spec of a Job at this path lacks, for pods of this relation."""
    per_index = spec.get("backoffLimitPerIndex") is not None and relation is Relation.INDEPENDENT
    rules = suggest_rules(spec, wanted_rules(relation, per_index=per_index, restarted=restarted), at=at)
    pod = mapping_at(spec, ("template", "spec"))
    changes: list[Change] = []
    warnings: tuple[str, ...] = ()
    if pod.get("restartPolicy") != NEVER:
        why = f"{NEVER}: Kubernetes takes a {POLICY} only with it"
        changes.append(Put(at=(*at, "template", "spec", "restartPolicy"), value=NEVER, why=why))
        warnings = (_NEW_POD,)
    if spec.get("podReplacementPolicy") != FAILED_ONLY:
        why = f"{FAILED_ONLY}: a {POLICY} needs it: a pod is replaced when it has failed, not when its deletion begins"
        changes.append(Put(at=(*at, "podReplacementPolicy"), value=FAILED_ONLY, why=why))
    return rules + Suggestion(changes=tuple(changes), warnings=warnings)


def made_by_server(document: Plain) -> Iterator[Change]:
    """Yield the removal of what the API server wrote, if a document was read from one: a new object has none of it."""
    uid = mapping_at(document, ("metadata",)).get("uid")
    why = "left out: the API server wrote it"
    for steps in _MADE:
        if steps[-1] in mapping_at(document, steps[:-1]):
            yield Remove(at=steps, why=why)
    if uid is None:
        return
    selected = mapping_at(document, ("spec", "selector", "matchLabels"))
    if selected and selected.items() <= dict.fromkeys(_UIDS, uid).items():
        yield Remove(at=("spec", "selector"), why=why)
    for at in (("metadata", "labels"), ("spec", "template", "metadata", "labels")):
        yield from (Remove(at=(*at, label), why=why) for label in _UIDS if label in mapping_at(document, at))


def _ends_every_index(spec: Plain, relation: Relation) -> Iterator[str]:
    """Without limits per index FailJob is the only action that ends the retries of a pod."""
    pods = (spec.get("completions", 1), spec.get("parallelism", 1))
    if relation is Relation.INDEPENDENT and spec.get("backoffLimitPerIndex") is None and pods != (1, 1):
        advice = f"; with `backoffLimitPerIndex`, the suggestion is {FAIL_INDEX}"
        more = advice if spec.get("completionMode") == INDEXED else ""
        yield f"one hopeless pod ends the whole Job, with all its indexes and pods{more}"


def _in_doubt(found: Judged, judged: Judged, said: Relation | None) -> Iterator[str]:
    if found.relation is Relation.TOGETHER and judged.relation is Relation.INDEPENDENT:
        rule = "the Job ignores" if said is None else "you say that the pods are independent, so the Job ignores"
        yield f"{rule} a pod lost to infrastructure, but {found.because}: if the pods need one another, they will wait"
