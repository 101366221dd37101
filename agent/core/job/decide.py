"""The decision on a failed pod of a Job: its own policy first, then retry policies if used; limits can forbid."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.decision.decide import judge
from agent.core.decision.growth import NOT_GROWN, GrownMemory, culprit_of, grow, mutation_of
from agent.core.error_table.answer import NO_ANSWER, TableAnswer
from agent.core.evidence import ContainerMemory
from agent.core.failure import Failure
from agent.core.history import NOTHING, History, Past
from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.match import match
from agent.core.job.pod import JobPod
from agent.core.job.rules import OurRule, match_ours
from agent.core.job.words import COUNT, FAIL_INDEX, FAIL_JOB, IGNORE, MAX_INT32, JobSpec
from agent.core.limit import Limit, VerdictAction
from agent.core.retry.effective import InEffect
from agent.core.retry.facts import Facts
from agent.core.retry.growth import Mutation
from agent.core.retry.limits import CAP, NOT_KNOWN, Course, limit_of_lineage
from agent.core.retry.policy import RetrySettings


class JobOutcome(StrEnum):
    RETRY = "retry"
    FAIL_INDEX = "fail-index"
    FAIL_JOB = "fail-job"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLimit:
    """One limit and its result: used, maximum, allowed or forbidden."""

    name: str
    count: int
    limit: int
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVerdict:
    """The decision. ``action`` is what the decider proposed; ``not_applied`` says why earlier ones did not decide.

    ``ledger`` is the one of the limits whose count a retry increments. ``mutation`` and ``time_factor`` are what the
    next pod gets more of, ``None`` unless the index is retried. ``past`` is what later verdicts of the lineage need to
    know; ``notes`` are sentences about other influences.
    """

    outcome: JobOutcome
    action: str
    decider: str
    not_applied: tuple[str, ...]
    limits: tuple[JobLimit, ...]
    ledger: JobLimit | None = None
    rule_key: str | None = None
    mutation: Mutation | None = None
    time_factor: float | None = None
    past: Past = NOTHING
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCase:
    """A failed pod and its Job: ``failed_before`` counts failures that counted toward ``backoffLimit``.

    ``failed_indexes_before`` are those that failed permanently.

    ``policies`` are those that apply to it: its annotation names them or its queue says ``applyToJobs``; ``None`` if
    neither. ``table`` is the result of the error table for the failure; ``memory`` that of the pod's containers;
    ``course`` how long the Job has run.
    """

    spec: JobSpec
    pod: JobPod
    failure: Failure
    rules: tuple[OurRule, ...] = ()
    failed_before: int = 0
    failed_indexes_before: int = 0
    policies: InEffect | None = None
    gates: Gates = ALL_ON
    table: TableAnswer = NO_ANSWER
    memory: tuple[ContainerMemory, ...] = ()
    course: Course = NOT_KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opinion:
    action: str
    decider: str
    not_applied: tuple[str, ...] = ()
    limits: tuple[JobLimit, ...] = ()
    ledger: JobLimit | None = None
    rule_key: str | None = None
    mutation: Mutation | None = None
    past: Past = NOTHING
    notes: tuple[str, ...] = ()


def decide_job(case: JobCase, *, history: History, settings: RetrySettings) -> JobVerdict:
    """Decide one failed pod of a Job. Without policies and rules of ours it equals Kubernetes.

    ``Ignore`` is exempt only from the Job's own counts; a Retry by a policy counts under them.
    """
    said = _own_policy(case) or _our_rules(case) or _retry_policies(case, history, settings) or _default(case)
    own, cap = _own_limits(case, said.action), _cap(said, history, settings)
    limits = (*said.limits, *_table_limits(case), *own, *cap)
    per_index = case.spec.backoff_limit_per_index is not None and case.gates.backoff_limit_per_index
    forbidden = [limit.name for limit in limits if not limit.allowed]
    if said.action == FAIL_JOB or "backoffLimit" in forbidden:
        outcome = JobOutcome.FAIL_JOB
    elif said.action == FAIL_INDEX or forbidden:
        outcome = JobOutcome.FAIL_INDEX if per_index else JobOutcome.FAIL_JOB
    else:
        outcome = JobOutcome.RETRY
    of_indexes = _limit_of_indexes(case, fails=outcome is JobOutcome.FAIL_INDEX) if per_index else ()
    if not all(limit.allowed for limit in of_indexes):
        outcome = JobOutcome.FAIL_JOB
    retries = outcome is JobOutcome.RETRY
    grown = _grown(case, said) if retries else NOT_GROWN
    return JobVerdict(
        outcome=outcome,
        action=said.action,
        decider=said.decider,
        not_applied=said.not_applied,
        limits=(*limits, *of_indexes),
        ledger=_ledger(said, own, cap) if retries else None,
        rule_key=said.rule_key if retries else None,
        mutation=grown.mutation,
        time_factor=case.table.time_factor if retries else None,
        past=said.past._replace(
            charge=said.past.charge if retries else None,
            most_runs=case.table.most_runs,
            retried=retries,
            granted_at=case.course.now if retries else None,
        ),
        notes=(*case.table.notes, *grown.notes),
    )


def _grown(case: JobCase, said: _Opinion) -> GrownMemory:
    """Mutations of rule and table together; the larger wins."""
    culprit = culprit_of(Facts(case.failure)) if case.table.memory else ""
    grown = grow(said.mutation, case.memory, case.table, culprit=culprit)
    return grown._replace(notes=(*said.notes, *grown.notes))


def _own_policy(case: JobCase) -> _Opinion | None:
    said = match(case.spec.pod_failure_policy, case.pod, gates=case.gates)
    if said.action is None:
        return None
    return _Opinion(action=said.action, decider=f"podFailurePolicy rule at index {said.rule}")


def _our_rules(case: JobCase) -> _Opinion | None:
    said = match_ours(case.rules, case.failure)
    if said is None or said.action is None or said.rule is None:
        return None
    name = case.rules[said.rule].name
    return _Opinion(
        action=said.action, decider=f"rule {said.rule + 1} {name} of the Job", not_applied=_not_applied(case)[:1]
    )


def _retry_policies(case: JobCase, history: History, settings: RetrySettings) -> _Opinion | None:
    """The first matching rule of the retry policies; without one they do not decide: ``defaultAction`` is ignored."""
    if case.policies is None or not case.policies.policies or not settings.enabled:
        return None
    facts = Facts(case.failure)
    judgement = judge(case.policies, facts, history=history, settings=settings, course=case.course)
    proposal = judgement.proposal
    if proposal.rule is None:
        return None
    retries = proposal.action.value.lower() == VerdictAction.RETRY.value
    fails = FAIL_JOB if case.spec.backoff_limit_per_index is None else FAIL_INDEX
    mutation, _, notes = mutation_of(proposal, facts, dialect=case.policies.dialect, had=case.memory)
    return _Opinion(
        action=COUNT if retries else fails,
        decider=f"retry policy {proposal.policy.policy.name}, rule {proposal.rule.number} {proposal.rule.label}",
        not_applied=_not_applied(case),
        limits=tuple(map(_job_limit, judgement.limits)) if retries else (),
        ledger=None if judgement.ledger is None else _job_limit(judgement.ledger),
        rule_key=proposal.key,
        mutation=mutation,
        past=Past(charge=judgement.charge, undisturbed=not facts.preempted),
        notes=notes,
    )


def _default(case: JobCase) -> _Opinion:
    why_not = "no retry policy applies to this Job" if case.policies is None else "no rule of a retry policy matched"
    return _Opinion(action=COUNT, decider="default", not_applied=(*_not_applied(case), why_not))


def _not_applied(case: JobCase) -> tuple[str, ...]:
    own = (
        "the Job has no podFailurePolicy"
        if case.spec.pod_failure_policy is None
        else "no rule of podFailurePolicy matched"
    )
    return (own, "no rule in the annotation matched") if case.rules else (own,)


def _table_limits(case: JobCase) -> tuple[JobLimit, ...]:
    """The limit of the error table; an ignored failure is not exempt from it."""
    return tuple(map(_job_limit, case.table.limits))


def _job_limit(limit: Limit) -> JobLimit:
    return JobLimit(name=limit.source, count=limit.used, limit=limit.limit, allowed=limit.allowed)


def _cap(said: _Opinion, history: History, settings: RetrySettings) -> tuple[JobLimit, ...]:
    """The cap on all retries of the lineage; an ignored failure is not exempt. Policies ask it themselves."""
    if settings.global_max_retries is None or any(limit.name == CAP for limit in said.limits):
        return ()
    return (_job_limit(limit_of_lineage(settings.global_max_retries, history)),)


def _ledger(said: _Opinion, own: tuple[JobLimit, ...], cap: tuple[JobLimit, ...]) -> JobLimit | None:
    """The limit of the rule or policy; else the Job's, but for an ignored failure, which it does not count; the cap."""
    if said.ledger is not None and said.ledger.name != CAP:
        return said.ledger
    if said.action != IGNORE:
        return own[-1]
    return said.ledger or next(iter(cap), None)


def _own_limits(case: JobCase, action: str) -> tuple[JobLimit, ...]:
    """The Job's own limits; they do not count an ignored failure."""
    spec, counted = case.spec, action != IGNORE
    limit = MAX_INT32 if spec.backoff_limit is None else spec.backoff_limit
    failed = case.failed_before + counted
    limits = [JobLimit(name="backoffLimit", count=failed, limit=limit, allowed=failed <= limit)]
    if spec.backoff_limit_per_index is not None and case.gates.backoff_limit_per_index:
        before, most = case.pod.failure_count, spec.backoff_limit_per_index
        allowed = not counted or before < most
        limits.append(JobLimit(name="backoffLimitPerIndex", count=before + counted, limit=most, allowed=allowed))
    return tuple(limits)


def _limit_of_indexes(case: JobCase, *, fails: bool) -> tuple[JobLimit, ...]:
    """``maxFailedIndexes``: how many indexes may fail before the Job does."""
    limit, failed = case.spec.max_failed_indexes, case.failed_indexes_before + fails
    if limit is None:
        return ()
    return (JobLimit(name="maxFailedIndexes", count=failed, limit=limit, allowed=failed <= limit),)
