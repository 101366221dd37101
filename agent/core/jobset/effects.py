"""The effects of a step of a JobSet: values for the caller to apply."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.core.job.effects import RequeueAfter


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateJob:
    """Create a child Job from the template of a replicated job, with these labels as labels and annotations."""

    name: str
    replicated_job: str
    index: int
    labels: Mapping[str, str]
    suspended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteJob:
    """Delete a child Job in the foreground: it exists until its pods are gone."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSuspended:
    """Suspend or resume a child Job; its start time is cleared before it resumes."""

    name: str
    suspended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteJobSet:
    """Delete the JobSet because its TTL has passed."""


Effect = CreateJob | DeleteJob | SetSuspended | DeleteJobSet | RequeueAfter
