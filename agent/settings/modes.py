"""How the agent of a cluster is spread over processes."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from agent.settings.base import PositiveDuration, Settings

_LONGEST_OBJECT_NAME = 253

ObjectName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$")]
"""The name of an object of Kubernetes."""

_Namespace = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]


class DeploymentMode(StrEnum):
    """One process that watches the cluster, perhaps with others that stand by; or one on each node."""

    DEPLOYMENT = "deployment"
    DAEMONSET = "daemonset"


class LeaseSettings(Settings):
    """The Lease by which the process that leads is elected."""

    namespace: _Namespace = Field(description="Where the Lease is: the namespace the agent runs in.")
    name: ObjectName = Field(default="failure-agent", description="What the Lease is called.")
    duration: Annotated[int, Field(ge=4, le=600)] = Field(
        default=8, description="Whole seconds: a leader that has not renewed for so long is replaced."
    )
    renew: PositiveDuration = Field(
        default=timedelta(seconds=2), description="How often the leader renews the Lease, and the others read it."
    )

    @model_validator(mode="after")
    def _renewed_in_time(self) -> Self:
        if self.renew.total_seconds() > self.duration / 4:
            raise ValueError(f"renew must be at most a quarter of duration, {self.duration / 4:g} s")
        return self


class NodeModeSettings(Settings):
    """Mode daemonset: what each process does for its node, and what one of them does for all."""

    name: ObjectName | None = Field(default=None, description="The node this process runs on.")
    events_per_second: Annotated[float, Field(gt=0, le=100)] = Field(
        default=5.0, description="Lists of failed pods' events; beyond that, failures are reported without events."
    )
    events_deadline: PositiveDuration = Field(
        default=timedelta(seconds=1), description="How long the list of a failed pod's events may take."
    )
    heard: PositiveDuration = Field(
        default=timedelta(seconds=10), description="How often each process says that it sees its node."
    )
    silence: PositiveDuration = Field(
        default=timedelta(seconds=30), description="A node whose process is silent for so long is watched by another."
    )
    covered_at_most: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=100, description="Nodes that one process watches for others; more than that is an alarm."
    )


class OneNode(NamedTuple):
    """The node a process of mode daemonset runs on, and the Lease its kind elect one of them by."""

    name: str
    lease: LeaseSettings


def one_node(mode: DeploymentMode, lease: LeaseSettings | None, node: NodeModeSettings) -> OneNode | None:
    """``None`` in mode deployment. Raises ValueError where mode daemonset lacks something."""
    if mode is DeploymentMode.DEPLOYMENT:
        return None
    if lease is None:
        raise ValueError(
            "mode daemonset needs lease: one of the processes is elected for the work that belongs to no node"
        )
    if node.name is None:
        raise ValueError("mode daemonset needs node.name: set FAILURE_AGENT_NODE__NAME from spec.nodeName")
    if len(f"{lease.name}.{node.name}") > _LONGEST_OBJECT_NAME:
        raise ValueError(f"lease.name and node.name are longer than {_LONGEST_OBJECT_NAME} characters together")
    return OneNode(node.name, lease)
