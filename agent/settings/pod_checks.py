"""Armada's checks of pending and of failed pods, as its executor's ``kubernetes`` settings spell them."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from agent.core.classify.pattern import compile_pattern
from agent.core.failure import CheckAction
from agent.settings.base import Duration, Form, Settings


def _compiles(pattern: str) -> str:
    compile_pattern(pattern)
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles), Form("RE2 expression")]
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

    regexp: Pattern = Field(description="The event's message must contain a match.")
    inverse: bool = Field(default=False, description="If true, the check matches where the expression is not found.")
    type: EventType = Field(description="The event's type. Normal needs watch.normalEvents.")
    grace_period: Duration = Field(default=timedelta(0), description="How long the pod must have been in its state.")
    action: CheckAction = Field(
        description="Retry: the failure advises a retry. Fail: it advises none. Where run.namespaces allows it the "
        "agent deletes the pod."
    )


class PendingContainerCheck(Settings):
    """What a waiting container asks for."""

    name: CheckName | None = Field(
        default=None, description="The check's name in messages. null: check-N, N being its place in the list, from 0."
    )
    state: ContainerStateName = Field(description="The container's state; only waiting containers can be checked.")
    reason_regexp: Pattern = Field(description="The reason why the container waits must contain a match.")
    inverse: bool = Field(default=False, description="If true, the check matches where the expression is not found.")
    grace_period: Duration = Field(default=timedelta(0), description="How long the pod must have been in its state.")
    action: CheckAction = Field(
        description="Retry: the failure advises a retry. Fail: it advises none. Where run.namespaces allows it the "
        "agent deletes the pod."
    )


class PendingPodCheckSettings(Settings):
    """When a pod that does not start is given up."""

    events: tuple[PendingEventCheck, ...] = Field(
        default=(), description="Checks of events about the pod. For each event the first check that matches counts."
    )
    container_statuses: tuple[PendingContainerCheck, ...] = Field(
        default=(), description="Checks of waiting containers. For each container the first check that matches counts."
    )
    deadline_for_updates: Duration | None = Field(
        default=None,
        description="How long a pod may have neither a container status nor an event other than the scheduler's. Then "
        "Retry. null: no limit.",
    )
    deadline_for_node_assignment: Duration | None = Field(
        default=None, description="How long a pod may be without a node. Then Retry. null: no limit."
    )
    deadline_for_init_containers: Duration | None = Field(
        default=None,
        description="How long init containers may take together, sidecars apart. Then Fail. null: no limit.",
    )


class FailedEventCheck(Settings):
    """An event about a pod that failed before any container started, after which its run may be tried again."""

    regexp: Pattern = Field(description="The event's message must contain a match.")
    reason: str = Field(default="", description="The event's reason. Empty: any.")
    type: EventType = Field(description="The event's type. Normal needs watch.normalEvents.")


class FailedStatusCheck(Settings):
    """What a pod that failed before any container started says, after which its run may be tried again."""

    regexp: Pattern = Field(description="The pod's status message must contain a match.")
    reason: str = Field(default="", description="The pod's reason. Empty: any.")


class FailedContainerCheck(Settings):
    """A failed container after which the run may be tried again."""

    container_name_regexp: Pattern = Field(description="The container's name must contain a match.")
    message_regexp: Pattern = Field(
        default="", description="Its termination message must contain a match. Empty: any message."
    )


class FailedPodCheckSettings(Settings):
    """Failed pods whose run may be tried again."""

    events: tuple[FailedEventCheck, ...] = Field(
        default=(), description="Checks of events. Used if no container ever started."
    )
    pod_statuses: tuple[FailedStatusCheck, ...] = Field(
        default=(), description="Checks of the pod's status. Used if no container ever started and no event matches."
    )
    container_statuses: tuple[FailedContainerCheck, ...] = Field(
        default=(), description="Checks of failed containers. Used if any container started."
    )
