"""Internal categories: findings of the agent itself.

Names are Armada's if it has one (armadaproject/armada#4972).
"""

from dataclasses import dataclass

from msgspec.structs import replace

from agent.core.evidence import Pod
from agent.core.failure import NO_CATEGORY, Classification, Failure, Occurrence, Origin, UserCode
from agent.core.run_event import CreationFailed

INTERNAL_CATEGORY = "internal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A finding of the agent itself; ``hint`` describes it."""

    subcategory: str
    origin: Origin
    hint: str


EXTERNALLY_DELETED = Ruling(
    subcategory="externally-deleted", origin=Origin.UNKNOWN, hint="Pod was unexpectedly deleted"
)
POD_MISSING = Ruling(subcategory="pod-missing", origin=Origin.UNKNOWN, hint="Pod is unexpectedly missing in Kubernetes")
NEVER_STARTED = Ruling(
    subcategory="never-started", origin=Origin.UNKNOWN, hint="Pod could not start within the time allowed"
)
ACTIVE_DEADLINE = Ruling(
    subcategory="active-deadline", origin=Origin.PLATFORM, hint="Pod has exceeded active deadline and still runs"
)
STUCK_TERMINATING = Ruling(
    subcategory="stuck-terminating",
    origin=Origin.INFRA,
    hint="The job couldn't shut down cleanly as pod stuck in terminating phase, this indicates a node issue",
)
LEASE_EXPIRED = Ruling(subcategory="lease-expired", origin=Origin.INFRA, hint="Cluster stopped renewing its lease")
STARTED_AFTER_DELETE = Ruling(
    subcategory="issue-handler-error",
    origin=Origin.PLATFORM,
    hint="Pod unexpectedly started up after its deletion was asked for",
)

RULINGS: dict[Occurrence, Ruling] = {
    Occurrence.DELETED_EXTERNALLY: EXTERNALLY_DELETED,
    Occurrence.MISSING: POD_MISSING,
    Occurrence.NEVER_STARTED: NEVER_STARTED,
    Occurrence.DEADLINE_EXCEEDED: ACTIVE_DEADLINE,
    Occurrence.STUCK_TERMINATING: STUCK_TERMINATING,
    Occurrence.LEASE_EXPIRED: LEASE_EXPIRED,
}
"""What an occurrence means if no rule matched."""


def decided(classification: Classification, occurrence: Occurrence) -> Classification:
    """The classification, or the internal one if no rule matched and the occurrence decides.

    An internal category counts as matched: it is a finding, not the default.
    """
    if classification.matched or occurrence not in RULINGS:
        return classification
    return ruled(classification, RULINGS[occurrence])


def ruled(classification: Classification, ruling: Ruling) -> Classification:
    """The classification with the agent's own finding as its category."""
    return replace(
        classification,
        category=INTERNAL_CATEGORY,
        subcategory=ruling.subcategory,
        origin=ruling.origin,
        hint=ruling.hint,
        matched=True,
        grade=None,
        categories=(INTERNAL_CATEGORY,),
    )


REFUSED_SUBCATEGORY = "job-creation-failed"
_EARLIER_SUBCATEGORY = "run-rejected"
"""The same subcategory as earlier versions stored it."""


def was_refused(failure: Failure) -> bool:
    """Whether the failure belongs to a run that was refused before a pod existed."""
    found = failure.classification
    return found.category == INTERNAL_CATEGORY and found.subcategory in {REFUSED_SUBCATEGORY, _EARLIER_SUBCATEGORY}


def as_failure(refused: CreationFailed) -> Failure:
    """The failure of a run that was refused before a pod existed: no pod, no node, no user code."""
    return Failure(
        occurrence=Occurrence.NEVER_STARTED,
        classification=Classification(
            category=INTERNAL_CATEGORY,
            subcategory=REFUSED_SUBCATEGORY,
            origin=Origin.PLATFORM,
            matched=True,
            categories=(INTERNAL_CATEGORY,),
        ),
        user_code=UserCode(ran=False, reason="the run was refused before a pod existed"),
        pod=Pod(reason=refused.reason),
        pod_error=refused.message,
    )


def ended_unseen(occurrence: Occurrence) -> Failure:
    """The failure of a run of which nothing is known but how it ended."""
    return Failure(
        occurrence=occurrence,
        classification=decided(Classification(category=NO_CATEGORY), occurrence),
        user_code=UserCode(),
        pod=Pod(),
    )
