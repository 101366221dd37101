"""What people choose in retry policies, as files spell it."""

from enum import StrEnum


class Action(StrEnum):
    """The action of a rule, in the file's spelling."""

    RETRY = "Retry"
    FAIL = "Fail"


class PolicyMode(StrEnum):
    """``spec.mode``: in effect, or evaluated and recorded only."""

    LIVE = "live"
    SHADOW = "shadow"


class Avoidance(StrEnum):
    """``antiAffinity.mode``: avoid nothing, or nodes on which runs failed."""

    NONE = "none"
    NODE = "node"


class Strength(StrEnum):
    """``antiAffinity.strength``: never on that node, or only if no other node is free."""

    REQUIRED = "required"
    PREFERRED = "preferred"


class AvoidScope(StrEnum):
    """``antiAffinity.scope``: the node of the most recent failed run, or the nodes of all failed runs."""

    LAST = "last"
    ALL = "all"


class Exhausted(StrEnum):
    """The effect of a required avoidance that leaves no node: a preference, or the job fails (Armada)."""

    PREFER = "prefer"
    FAIL = "fail"
