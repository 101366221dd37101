"""What is to be done after a step of a JobSet: values for the shell to carry out."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.core.job.effects import RequeueAfter


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateJob:
    """Make a child Job from the template of a replicated job, with these labels as labels and annotations."""

    name: str
    replicated_job: str
    index: int
    labels: Mapping[str, str]
    suspended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteJob:
    """Delete a child Job in the foreground: it is there until its pods are gone."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSuspended:
    """Suspend or resume a child Job; its start time is cleared before it resumes."""

    name: str
    suspended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteJobSet:
    """Delete the JobSet: its time after it finished is over."""


Effect = CreateJob | DeleteJob | SetSuspended | DeleteJobSet | RequeueAfter
