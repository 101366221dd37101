"""Armada's checks of pending and of failed pods, as its executor's ``kubernetes`` settings spell them."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from agent.core.classify.pattern import compile_pattern
from agent.core.failure import CheckAction
from agent.settings.base import Duration, Settings


def _compiles(pattern: str) -> str:
    compile_pattern(pattern)
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]
"""A regular expression as Go's ``regexp`` takes it, searched for anywhere in a text."""

CheckName = Annotated[str, Field(min_length=1, max_length=63)]
"""What a check is called in messages."""


class EventType(StrEnum):
    NORMAL = "Normal"
    WARNING = "Warning"


class ContainerStateName(StrEnum):
    """The state of a container that a check looks at."""

    WAITING = "Waiting"


class PendingEventCheck(Settings):
    """What an event about a pod that has not started asks for."""

    regexp: Pattern = Field(description="Searched for in the event's message.")
    inverse: bool = Field(default=False, description="Met where the expression is not found.")
    type: EventType = Field(description="The event's type.")
    grace_period: Duration = Field(default=timedelta(0), description="How long the pod must be in its state before.")
    action: CheckAction = Field(description="Retry: the pod goes and its run may be tried again. Fail: it has failed.")


class PendingContainerCheck(Settings):
    """What a waiting container asks for."""

    name: CheckName | None = Field(default=None, description="What the check is called in messages.")
    state: ContainerStateName = Field(description="The container's state.")
    reason_regexp: Pattern = Field(description="Searched for in the reason why the container waits.")
    inverse: bool = Field(default=False, description="Met where the expression is not found.")
    grace_period: Duration = Field(default=timedelta(0), description="How long the pod must be in its state before.")
    action: CheckAction = Field(description="Retry: the pod goes and its run may be tried again. Fail: it has failed.")


class PendingPodCheckSettings(Settings):
    """When a pod that does not start is given up."""

    events: tuple[PendingEventCheck, ...] = Field(default=(), description="Of an event the first check met counts.")
    container_statuses: tuple[PendingContainerCheck, ...] = Field(
        default=(), description="Of a waiting container the first check met counts."
    )
    deadline_for_updates: Duration | None = Field(
        default=None, description="How long a node may say nothing of a pod; then Retry. Not given means for ever."
    )
    deadline_for_node_assignment: Duration | None = Field(
        default=None, description="How long a pod may be without a node; then Retry. Not given means for ever."
    )
    deadline_for_init_containers: Duration | None = Field(
        default=None, description="How long init containers may take together; then Fail. Not given means for ever."
    )


class FailedEventCheck(Settings):
    """An event about a pod that failed before any container started, after which its run may be tried again."""

    regexp: Pattern = Field(description="Searched for in the event's message.")
    reason: str = Field(default="", description="The event's reason; empty means any.")
    type: EventType = Field(description="The event's type.")


class FailedStatusCheck(Settings):
    """What a pod that failed before any container started says, after which its run may be tried again."""

    regexp: Pattern = Field(description="Searched for in the pod's message.")
    reason: str = Field(default="", description="The pod's reason; empty means any.")


class FailedContainerCheck(Settings):
    """A failed container after which the run may be tried again."""

    container_name_regexp: Pattern = Field(description="Searched for in the container's name.")
    message_regexp: Pattern = Field(default="", description="Searched for in its termination message; empty means any.")


class FailedPodCheckSettings(Settings):
    """Failed pods whose run may be tried again."""

    events: tuple[FailedEventCheck, ...] = Field(default=(), description="Asked where no container ever started.")
    pod_statuses: tuple[FailedStatusCheck, ...] = Field(
        default=(), description="Asked where no container ever started and no event says it."
    )
    container_statuses: tuple[FailedContainerCheck, ...] = Field(
        default=(), description="Asked where a container has started."
    )
