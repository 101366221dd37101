"""What the agent of a cluster may do to pods: create those of submitted jobs, and delete."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from agent.settings.base import PositiveDuration, Settings
from agent.settings.names import LabelKey, NamespaceName, ObjectName


class RunSettings(Settings):
    """The run role: which pods the agent may create and delete. Off until namespaces are named."""

    namespaces: tuple[NamespaceName, ...] = Field(
        default=(),
        description="Namespaces in which the agent may delete pods, and create those of submitted jobs if run.maxRuns "
        "says so. Empty: none.",
    )
    max_runs: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        default=None,
        description="How many runs of submitted jobs the scheduler may have open in this cluster. 0: no new ones; "
        "those that are open go on. null: the agent takes no commands, and stops no run that it took before.",
    )
    service_accounts: tuple[ObjectName, ...] = Field(
        default=(), description="ServiceAccounts that pods of submitted jobs may name, in addition to default."
    )
    label: LabelKey = Field(
        default="armada_job_run_id",
        description="The agent itself decides to delete only pods that carry this label with a value, and no pods of "
        "submitted jobs: the scheduler stops those.",
    )
    pod_kill_timeout: PositiveDuration | None = Field(
        default=timedelta(seconds=30),
        description="How long after its grace period a pod that the agent deleted may stay before the agent deletes it "
        "by force. null: never by force.",
    )
