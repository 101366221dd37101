"""Whose fault a failure is, and whose container failed."""

from collections.abc import Mapping
from typing import Final

from agent.core.evidence import ContainerKind
from agent.core.failure import Classification, Failure, Origin

FAULTS: Final = {
    Origin.USER: "the job",
    Origin.INFRA: "the node",
    Origin.PLATFORM: "the platform",
    Origin.UNKNOWN: "not known",
}
"""The parties as JSON has always called them."""


def fault(given: Classification) -> str:
    """The party it is attributed to, as JSON has it; ``likely`` where only the program's own words say so."""
    return _likely(FAULTS[given.origin], given)


def origin_of(given: Classification) -> str:
    """The origin as a card shows it: by the word of rules, of the API and of ``--origin``, such as ``likely infra``."""
    return _likely(given.origin.value, given)


def marked_origin(origin: Origin, *, corroborated: bool | None) -> str:
    """The same as a table shows it, in doubt where a card says ``likely``: ``infra?``."""
    return f"{origin.value}?" if corroborated is False else origin.value


def origins_in_words(counts: Mapping[Origin, int], *, likely: Mapping[Origin, int]) -> str:
    """How many failures have which origin, and how many of these are in doubt: ``infra 40 (12 likely), user 70``."""
    return ", ".join(
        _count_in_words(origin, counts[origin], likely.get(origin, 0)) for origin in Origin if counts.get(origin)
    )


def _count_in_words(origin: Origin, count: int, likely: int) -> str:
    return f"{origin.value} {count:,}" + (f" ({likely:,} likely)" if likely else "")


def _likely(named: str, given: Classification) -> str:
    return f"likely {named}" if given.corroborated is False else named


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
