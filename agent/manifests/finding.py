"""Placing a finding in the document that was written."""

from dataclasses import dataclass

from agent.manifests.node import Node, Step, find, write_path
from agent.manifests.problem import Severity
from agent.manifests.source import Fault

Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """The tree that was written; ``at`` is the path of its root in the document."""

    root: Node
    at: Steps = ()

    def has(self, steps: Steps) -> bool:
        """Return whether something is written at this path."""
        return find(self.root, steps) is not None

    def get(self, steps: Steps) -> Node | None:
        """Return what is written at this path."""
        return find(self.root, steps)

    def finding(self, code: str, message: str, *, at: Steps, hint: str = "") -> Fault:
        """Return a warning about this path, placed at the deepest node of it that is written."""
        steps = at
        while (node := find(self.root, steps)) is None:
            steps = steps[:-1]
        path = write_path((*self.at, *at))
        return Fault(code=code, span=node.span, path=path, message=message, hint=hint, severity=Severity.WARNING)
