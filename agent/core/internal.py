"""Internal categories: what the system itself decides where no rule matched (design 4.1).

Names are Armada's where there is one (reference/armada-today.md 1.5, 1.6).
"""

from dataclasses import replace

from agent.core.failure import Classification, Occurrence, Origin

INTERNAL_CATEGORY = "internal"

_DECIDED: dict[Occurrence, tuple[str, Origin, str]] = {
    Occurrence.DELETED_EXTERNALLY: ("externally-deleted", Origin.UNKNOWN, "Pod was unexpectedly deleted"),
    Occurrence.MISSING: ("pod-missing", Origin.UNKNOWN, "Pod is unexpectedly missing in Kubernetes"),
    Occurrence.NEVER_STARTED: ("never-started", Origin.UNKNOWN, "Pod could not start within the time allowed"),
    Occurrence.DEADLINE_EXCEEDED: ("active-deadline", Origin.PLATFORM, "Pod still runs past its active deadline"),
    Occurrence.STUCK_TERMINATING: ("stuck-terminating", Origin.INFRA, "Pod could not be torn down: a node issue"),
    Occurrence.LEASE_EXPIRED: ("lease-expired", Origin.INFRA, "Cluster stopped renewing its lease"),
}


def decided(classification: Classification, occurrence: Occurrence) -> Classification:
    """The classification, or the internal one where no rule matched and the occurrence decides.

    An internal category counts as matched: it is a finding, not the default.
    """
    if classification.matched or occurrence not in _DECIDED:
        return classification
    subcategory, origin, hint = _DECIDED[occurrence]
    return replace(
        classification,
        category=INTERNAL_CATEGORY,
        subcategory=subcategory,
        origin=origin,
        hint=hint,
        matched=True,
        categories=(INTERNAL_CATEGORY,),
    )
