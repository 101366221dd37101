"""What the containers of a pod do, once a kubelet starts them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agent.simulator.script import Exit, Stop
from tests.simulator.api import Json

COMPLETED: Final = Exit(exit_code=0, reason="Completed")
_AT_ONCE: Final = Stop(after="0s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What one container does: it exits after ``seconds``, never if ``None``; when it is asked to stop, as ``stop``."""

    seconds: float | None = 0.0
    exit: Exit = COMPLETED
    stop: Stop = _AT_ONCE


SUCCEEDS: Final = Course()
ENDLESS: Final = Course(seconds=None)


def fails(exit_code: int = 1, reason: str = "Error", *, seconds: float = 0.0) -> Course:
    """Exits with this code."""
    return Course(seconds=seconds, exit=Exit(exit_code=exit_code, reason=reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What the containers of a pod do, by name or all alike. The first image takes ``pull`` seconds; None: for ever."""

    course: Course = SUCCEEDS
    containers: Mapping[str, Course] = field(default_factory=dict)
    pull: float | None = 0.0

    def of(self, container: str) -> Course:
        """What this container does."""
        return self.containers.get(container, self.course)


Script = Callable[[Json], Behaviour]
"""What a pod does, by its object when the kubelet first sees it."""
