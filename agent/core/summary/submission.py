"""Submission: which containers of a pod its user submitted, and how that is known.

A container added later, by a webhook or by hand, is not the user's (seed "Enhanced failure debug info").
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from agent.core.evidence import ContainerKind

_EPHEMERAL = ContainerKind.EPHEMERAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """``submitted`` names the user's containers, or is ``None`` if they are not known.

    ``injected`` are shell patterns of names that are never the user's; they are used only if
    ``submitted`` is ``None``. ``reason`` says how this is known, or why not.
    """

    submitted: frozenset[str] | None = None
    injected: tuple[str, ...] = ()
    reason: str = "nothing says which containers were submitted"

    def is_injected(self, name: str, kind: ContainerKind) -> bool | None:
        """Whether a container was added after submission; ``None`` if not known."""
        if kind is _EPHEMERAL:
            return True
        if self.submitted is not None:
            return name not in self.submitted
        if self.injected:
            return any(fnmatchcase(name, pattern) for pattern in self.injected)
        return None


UNKNOWN = Submission()
"""Neither the pod nor the settings specify it."""
