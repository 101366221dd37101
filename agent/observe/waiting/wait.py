"""The answers on a pod that has not failed and is not healthy."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from agent.observe.deadlines import Deadlines, StartProblemKind, grace, later

_AT_ONCE: Final = timedelta(0)


class WaitKind(StrEnum):
    """For what a pod waits. ``KUBELET``: the node does not say what it does."""

    QUOTA = "quota"
    GATE = "gate"
    SCHEDULER = "scheduler"
    NODE = "node"
    VOLUME = "volume"
    IMAGE = "image"
    INIT_CONTAINER = "init-container"
    KUBELET = "kubelet"
    PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The pod waits for something of this kind and name, which is empty where it has none.

    ``limit`` names the deadline by which the agent gives the pod up, ``given_up_after`` its length from ``since``;
    ``None`` is never. ``at_earliest``: it began at ``since`` or later.
    """

    kind: WaitKind
    because: str
    name: str = ""
    since: datetime | None = None
    at_earliest: bool = False
    limit: StartProblemKind | None = None
    given_up_after: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown:
    """Nothing is known of the pod's state, and why. ``what`` is not known, as a clause."""

    why: str
    what: str = "whether it runs"


Wait = Waiting | NotKnown
"""The third answer."""


def limited(
    kind: WaitKind,
    limit: StartProblemKind,
    deadlines: Deadlines,
    *,
    because: str,
    name: str = "",
    since: datetime | None = None,
) -> Waiting:
    """A wait that one of the deadlines ends."""
    given_up_after = grace(limit, deadlines)
    return Waiting(kind=kind, because=because, name=name, since=since, limit=limit, given_up_after=given_up_after)


def is_given_up(waits: Waiting, seen: Iterable[datetime]) -> bool:
    """Whether the agent does not wait, or what was seen of the pod at these times is of after the deadline."""
    if waits.given_up_after == _AT_ONCE:
        return True
    if waits.since is None or waits.at_earliest or waits.given_up_after is None:
        return False
    end = later(waits.since, waits.given_up_after)
    return end is not None and any(at >= end for at in seen)
