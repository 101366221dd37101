"""The shapes of a JobSet. Source: JobSet's API, v1alpha2; types only; core validates the rest.

Fields that are not supported here are ``Any``, so that ``load`` can refuse them by name.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from agent.documents.shape import Shape
from agent.manifests.job.shapes import Int32, JobSpecShape, MetadataShape

API_VERSION = "jobset.x-k8s.io/v1alpha2"


class FailureRuleShape(Shape):
    """A rule of ``failurePolicy``."""

    name: str | None = None
    action: str
    onJobFailureReasons: list[str] | None = None
    onJobFailureMessagePatterns: list[str] | None = None
    targetReplicatedJobs: list[str] | None = None


class JobSetFailurePolicyShape(Shape):
    """``failurePolicy``."""

    maxRestarts: Int32 | None = None
    restartStrategy: str | None = None
    rules: list[FailureRuleShape] | None = None


class JobSetSuccessPolicyShape(Shape):
    operator: str
    targetReplicatedJobs: list[str] | None = None


class StartupPolicyShape(Shape):
    startupPolicyOrder: str


class JobTemplateShape(Shape):
    """``template`` of a replicated job."""

    metadata: dict[str, Any] | None = None
    spec: JobSpecShape


class ReplicatedJobShape(Shape):
    """One of ``replicatedJobs``."""

    name: Annotated[str, Field(min_length=1)]
    replicas: Int32 | None = None
    template: JobTemplateShape
    groupName: Any = None
    dependsOn: Any = None


class JobSetSpecShape(Shape):
    """``spec`` of a JobSet: every field there is."""

    replicatedJobs: Annotated[list[ReplicatedJobShape], Field(min_length=1)]
    failurePolicy: JobSetFailurePolicyShape | None = None
    successPolicy: JobSetSuccessPolicyShape | None = None
    startupPolicy: StartupPolicyShape | None = None
    suspend: bool | None = None
    ttlSecondsAfterFinished: Int32 | None = None
    managedBy: str | None = None
    network: Any = None
    coordinator: Any = None
    volumeClaimPolicies: Any = None
    scheduling: Any = None
    activeDeadlineSeconds: Any = None


class JobSetShape(Shape):
    """A whole document. ``status`` may be there, as ``kubectl get -o yaml`` prints it, and is not read."""

    apiVersion: Literal["jobset.x-k8s.io/v1alpha2"]
    kind: Literal["JobSet"]
    metadata: MetadataShape
    spec: JobSetSpecShape
    status: dict[str, Any] | None = None
