"""How long the agent lets a pod have a problem."""

from datetime import timedelta

from pydantic import Field

from agent.settings.base import Duration, PositiveDuration, Settings


class DeadlineSettings(Settings):
    """How long a pod may have a problem before its run is stopped, from when the agent first saw the problem."""

    unschedulable: PositiveDuration | None = Field(
        default=timedelta(minutes=15),
        description="The scheduler finds no node for the pod. A pod with a scheduling gate may wait. null: no limit.",
    )
    preparing: PositiveDuration | None = Field(
        default=timedelta(minutes=30),
        description="The pod has a node, and no container has begun: volumes, sandbox, a long pull or a silent "
        "kubelet. Counts from when it got the node. null: no limit.",
    )
    image: Duration = Field(default=timedelta(minutes=5), description="An image cannot be pulled.")
    config: Duration = Field(default=timedelta(minutes=2), description="A ConfigMap, Secret or field is missing.")
    create: Duration = Field(
        default=timedelta(minutes=2), description="The runtime cannot create or start a container."
    )
    init_crash_loop: Duration = Field(
        default=timedelta(minutes=10),
        description="An init container, or a sidecar that is not ready, keeps failing. The pod is not stopped while "
        "that container runs.",
    )
    init_running: PositiveDuration | None = Field(default=None, description="One init container runs. null: no limit.")
    active_grace: Duration = Field(
        default=timedelta(minutes=1),
        description="Time for the kubelet to stop a pod after activeDeadlineSeconds and the grace period. After that "
        "the failure is reported as deadline-exceeded.",
    )
    terminating_grace: Duration | None = Field(
        default=timedelta(minutes=1),
        description="Time for the kubelet to remove a deleted pod after its grace period. After that the failure is "
        "reported as stuck-terminating. null: no limit.",
    )
