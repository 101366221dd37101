"""Failed Jobs of a JobSet, and the proposed action before limits are checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.core.jobset.child import FailedJob
from agent.core.jobset.limits import ParentLimit
from agent.core.jobset.manifest import NOTHING, JobSet, JobSetMemory
from agent.core.jobset.match import first_failed, first_match
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import FAIL_JOB_SET, RESTART_JOB_SET, RESTARTS_OF_ONE_JOB, canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentCase:
    """Failed Jobs of the current attempt (at least one), and their JobSet.

    ``stopped`` is the operator's ``retries.stopped``; ``others`` are limits that other layers checked for the failure
    of a Job, by its name. ``cap`` limits all restarts, those that ``maxRestarts`` does not count too; ``None``, as
    upstream, is no cap.
    """

    jobset: JobSet
    status: JobSetStatus
    failed: Sequence[FailedJob]
    memory: JobSetMemory = NOTHING
    stopped: bool = False
    cap: int | None = None
    others: Mapping[str, tuple[ParentLimit, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The proposed action, by upstream's name, for one of the failed Jobs.

    ``rule`` is the name of the rule that decided, if any; ``not_applied`` says why earlier rules did not apply.
    """

    action: str
    job: FailedJob
    decider: str
    rule: str | None = None
    not_applied: tuple[str, ...] = ()


def asked_elsewhere(case: ParentCase, said: Proposal) -> Iterator[ParentLimit]:
    """Yield the limits of other layers: of the Job that is restarted alone, else of all that failed.

    A restart of the whole JobSet runs every failed Job again, not only the one that is named.
    """
    yield from case.others.get(said.job.name, ())
    if said.action not in RESTARTS_OF_ONE_JOB:
        for job in case.failed:
            if job.name != said.job.name:
                yield from case.others.get(job.name, ())


def propose(case: ParentCase) -> Proposal:
    """Return the action of the JobSet's failure policy, or the default with or without one.

    Raises ValueError if no Job failed.
    """
    first = first_failed(case.failed)
    if first is None:
        raise ValueError("no Job has failed")
    policy = case.jobset.spec.failure_policy
    if policy is None:
        return Proposal(action=FAIL_JOB_SET, job=first, decider="default without a failurePolicy")
    found = first_match(policy.rules, case.failed)
    if found is None:
        not_applied = ("no rule of failurePolicy matched" if policy.rules else "failurePolicy has no rules",)
        return Proposal(action=RESTART_JOB_SET, job=first, decider="default of failurePolicy", not_applied=not_applied)
    place, job = found
    rule = policy.rules[place]
    return Proposal(
        action=canonical(rule.action),
        job=job,
        decider=f"rule {rule.name} of failurePolicy",
        rule=rule.name,
        not_applied=tuple(f"rule {rule.name} of failurePolicy did not match" for rule in policy.rules[:place]),
    )
