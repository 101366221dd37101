"""Names that pods made for submitted jobs have: labels, annotations and the scheduling gate."""

from typing import Final

JOB: Final = "failure-agent.dev/job"
RUN: Final = "failure-agent.dev/run"
QUEUE: Final = "failure-agent.dev/queue"
RUN_INDEX: Final = "failure-agent.dev/run-index"
"""Which run of its job the pod is, from 0."""

JOB_SET: Final = "failure-agent.dev/jobset"
"""Annotation: the name of the job set, for people."""

CONTAINERS: Final = "failure-agent.dev/containers"
"""Annotation: names the containers that were submitted, init containers too, separated by commas."""

START_GATE: Final = "failure-agent.dev/start"
"""The scheduling gate behind which a pod waits until the scheduler has accepted its uid."""

STOP_REQUESTED: Final = "failure-agent.dev/stop-requested"
"""Annotation: when the agent asked for the deletion of the pod, because the scheduler stops its run."""

DISCARD_REQUESTED: Final = "failure-agent.dev/discard-requested"
"""Annotation: when the agent asked for the deletion of the pod, because it belongs to no run."""
