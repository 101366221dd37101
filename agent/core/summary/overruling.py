"""Findings of the agent itself that replace the category that the rules gave."""

from msgspec.structs import replace

from agent.core.failure import NO_CATEGORY, Classification, Failure, Occurrence
from agent.core.summary.bounds import bound
from agent.core.summary.internal import INTERNAL_CATEGORY, Ruling, ruled


def overrule(failure: Failure, ruling: Ruling, *, occurrence: Occurrence, message: str = "") -> Failure:
    """The failure with the agent's own finding as its category, whatever the rules said.

    The result of the rules, if any, is kept as ``overruled``; all evidence stays. ``message`` precedes the pod's own.
    """
    given = failure.classification
    said = given.matched and given.category != INTERNAL_CATEGORY
    own = ruled(Classification(category=NO_CATEGORY, revision=given.revision), ruling)
    return bound(
        replace(
            failure,
            occurrence=occurrence,
            classification=replace(own, categories=(INTERNAL_CATEGORY, *given.categories)) if said else own,
            overruled=replace(given, categories=()) if said else None,
            pod_error="\n".join(part for part in (message, failure.pod_error) if part),
        )
    )
