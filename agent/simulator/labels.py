"""The labels by which a pod says whose run it is: the agent's, else those of Armada's executor."""

from typing import Final

from agent.simulator.kinds import Json

JOB: Final = "failure-agent.dev/job"
RUN: Final = "failure-agent.dev/run"
RUN_INDEX: Final = "failure-agent.dev/run-index"
ARMADA_JOB: Final = "armada_job_id"
ARMADA_RUN: Final = "armada_job_run_id"


def job_id(pod: Json) -> str:
    """The pod's job; ``""`` if it says none."""
    return _first(pod, JOB, ARMADA_JOB)


def run_id(pod: Json) -> str:
    """The pod's run; ``""`` if it says none."""
    return _first(pod, RUN, ARMADA_RUN)


def _first(pod: Json, *names: str) -> str:
    labels = pod["metadata"].get("labels") or {}
    return next((str(labels[name]) for name in names if labels.get(name)), "")
