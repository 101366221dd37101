"""The answers on a pod that has not failed and is not healthy."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from agent.observe.deadlines import Deadlines, StartProblemKind, grace


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
    ``None`` is never.
    """

    kind: WaitKind
    because: str
    name: str = ""
    since: datetime | None = None
    limit: StartProblemKind | None = None
    given_up_after: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown:
    """Nothing is known of the pod's state, and why."""

    why: str


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
