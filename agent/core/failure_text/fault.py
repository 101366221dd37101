"""Whose fault a failure is, and whose container failed."""

from agent.core.evidence import ContainerKind
from agent.core.failure import Classification, Failure, Origin

FAULTS = {
    Origin.USER: "the job",
    Origin.INFRA: "the node",
    Origin.PLATFORM: "the platform",
    Origin.UNKNOWN: "not known",
}


def fault(given: Classification) -> str:
    """The party it is attributed to, as shown on a card; ``likely`` where only the program's own words say so."""
    named = FAULTS[given.origin]
    return f"likely {named}" if given.corroborated is False else named


def short_fault(origin: Origin) -> str:
    """The party as a table shows it: ``job``, ``node``, ``platform``, or ``?``."""
    return "?" if origin is Origin.UNKNOWN else FAULTS[origin].removeprefix("the ")


def marked_fault(given: Classification) -> str:
    """The same, in doubt where a card says ``likely``: ``node?``."""
    named = short_fault(given.origin)
    return f"{named}?" if given.corroborated is False else named


def whose(failure: Failure) -> str:
    """Who added the container that failed, if that helps: a sentence, or nothing.

    That it was submitted is useful only among several containers, and not if the node or the platform failed.
    """
    name, submitted = failure.culprit_container, failure.user_code.culprit_is_users
    if not name or submitted is None:
        return ""
    if not submitted:
        return f"{name} was added to the pod later; you did not submit it"
    others = sum(container.kind is not ContainerKind.EPHEMERAL for container in failure.pod.containers) > 1
    elsewhere = failure.classification.origin in {Origin.INFRA, Origin.PLATFORM}
    return f"{name} is one of the containers you submitted" if others and not elsewhere else ""
