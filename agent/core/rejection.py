"""A refusal of a run as a failure: the run was to start and never did (design 4.7)."""

from agent.core.evidence import Pod
from agent.core.failure import Classification, Failure, Occurrence, Origin, RunRejected, UserCode
from agent.core.internal import INTERNAL_CATEGORY

REJECTED_SUBCATEGORY = "run-rejected"


def as_failure(rejected: RunRejected) -> Failure:
    """The failure of a run that was refused before a pod existed: no pod, no node, no code of the user's."""
    return Failure(
        occurrence=Occurrence.NEVER_STARTED,
        classification=Classification(
            category=INTERNAL_CATEGORY,
            subcategory=REJECTED_SUBCATEGORY,
            origin=Origin.PLATFORM,
            matched=True,
            categories=(INTERNAL_CATEGORY,),
        ),
        user_code=UserCode(ran=False, reason="the run was refused before a pod existed"),
        pod=Pod(reason=rejected.reason),
        pod_error=rejected.message,
    )
