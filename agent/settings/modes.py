"""Whether one process watches a cluster, or one on each node (mode daemonset)."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from agent.settings.base import Conflict, PositiveDuration, Settings
from agent.settings.names import NamespaceName, ObjectName

_LONGEST_OBJECT_NAME = 253


class DeploymentMode(StrEnum):
    """One process that watches the cluster, perhaps with standbys; or one on each node."""

    DEPLOYMENT = "deployment"
    DAEMONSET = "daemonset"


class LeaseSettings(Settings):
    """The Lease by which the leader is elected."""

    namespace: NamespaceName = Field(description="Namespace of the Lease: the one that the agent runs in.")
    name: ObjectName = Field(default="failure-agent", description="Name of the Lease.")
    duration: Annotated[int, Field(ge=4, le=600)] = Field(
        default=8,
        description="Seconds. A standby takes over when the Lease has not changed for this time. The leader stops "
        "after five eighths of it without a renewal.",
    )
    renew: PositiveDuration = Field(
        default=timedelta(seconds=2),
        description="How often the leader renews the Lease and the others read it. At most a quarter of "
        "lease.duration.",
    )

    @model_validator(mode="after")
    def _renewed_in_time(self) -> Self:
        if self.renew.total_seconds() > self.duration / 4:
            message = f"renew must be at most a quarter of duration, {self.duration / 4:g} s"
            raise Conflict(message, "renew", "duration")
        return self


class NodeModeSettings(Settings):
    """Mode daemonset: what each process does for its node, and what the elected one does for all."""

    name: ObjectName | None = Field(
        default=None,
        description="Name of the node that this process runs on. Required in mode daemonset: set its variable from "
        "spec.nodeName.",
    )
    events_per_second: Annotated[float, Field(gt=0, le=100)] = Field(
        default=5.0,
        description="Lists of events that this process requests a second. A failure that would wait longer than "
        "node.eventsDeadline is reported without events.",
    )
    events_deadline: PositiveDuration = Field(
        default=timedelta(seconds=1),
        description="How long the list of a failed pod's events may take, the wait for its turn included.",
    )
    heard: PositiveDuration = Field(
        default=timedelta(seconds=10),
        description="How often each process renews the Lease of its node, which shows that it watches the node.",
    )
    silence: PositiveDuration = Field(
        default=timedelta(seconds=30),
        description="If the Lease of a node does not change for this time, the elected process watches the node too.",
    )
    covered_at_most: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=100,
        description="Nodes that the elected process watches for others. Nodes beyond are not watched; the metric "
        "failure_agent_uncovered_nodes counts them.",
    )


class OneNode(NamedTuple):
    """The node a process of mode daemonset runs on, and the Lease its kind elect one of them by."""

    name: str
    lease: LeaseSettings


def one_node(mode: DeploymentMode, lease: LeaseSettings | None, node: NodeModeSettings) -> OneNode | None:
    """``None`` in mode deployment. Raises Conflict where mode daemonset lacks something."""
    if mode is DeploymentMode.DEPLOYMENT:
        return None
    if lease is None:
        raise Conflict(
            "mode daemonset needs lease, because one of the processes is elected for the work that belongs to no node; "
            "add lease.namespace",
            "mode",
        )
    if node.name is None:
        raise Conflict("mode daemonset needs node.name; set FAILURE_AGENT_NODE__NAME from spec.nodeName", "mode")
    if len(f"{lease.name}.{node.name}") > _LONGEST_OBJECT_NAME:
        message = f"lease.name and node.name are longer than {_LONGEST_OBJECT_NAME} characters together"
        raise Conflict(message, "lease.name", "node.name")
    return OneNode(node.name, lease)
