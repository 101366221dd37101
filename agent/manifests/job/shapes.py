"""The shapes of a ``batch/v1`` Job. Source: the Kubernetes API; types only; core validates the rest.

The pod template is left to the API server to check, except for the fields that Jobs read.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from agent.core.job.validation_policy import ACTIONS, OPERATORS, STATUSES
from agent.core.job.words import FAILED_ONLY, INDEXED, NEVER, NON_INDEXED, ON_FAILURE, TERMINATING_OR_FAILED
from agent.documents.shape import Shape

API_VERSION = "batch/v1"


def _one_of(*words: str) -> WithJsonSchema:
    """Give editors the known words. The field stays a plain text, because core checks it in the API server's words."""
    return WithJsonSchema({"type": "string", "enum": list(words)})


Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class ExitCodesShape(Shape):
    containerName: str | None = None
    operator: Annotated[str | None, _one_of(*OPERATORS)] = None
    values: list[Int32] | None = None


class ConditionShape(Shape):
    """One of ``onPodConditions``."""

    type: str | None = None
    status: Annotated[str | None, _one_of(*STATUSES)] = None


class FailureRuleShape(Shape):
    """A rule of ``podFailurePolicy``."""

    action: Annotated[str | None, _one_of(*ACTIONS)] = None
    onExitCodes: ExitCodesShape | None = None
    onPodConditions: list[ConditionShape] | None = None


class FailurePolicyShape(Shape):
    """``podFailurePolicy``."""

    rules: list[FailureRuleShape] | None = None


class SuccessRuleShape(Shape):
    """A rule of ``successPolicy``."""

    succeededIndexes: str | None = None
    succeededCount: Int32 | None = None


class SuccessPolicyShape(Shape):
    rules: list[SuccessRuleShape] | None = None


class ContainerShape(Shape):
    """A container of the template; all but its name is left to the API server."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str


class PodSpecShape(Shape):
    """The pod's spec of the template; what Jobs do not read is left to the API server."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    restartPolicy: Annotated[str | None, _one_of(NEVER, ON_FAILURE)] = None
    containers: Annotated[list[ContainerShape], Field(min_length=1)]
    initContainers: list[ContainerShape] | None = None


class TemplateShape(Shape):
    metadata: dict[str, Any] | None = None
    spec: PodSpecShape


class JobSpecShape(Shape):
    """``spec`` of a Job: every field there is."""

    parallelism: Int32 | None = None
    completions: Int32 | None = None
    activeDeadlineSeconds: int | None = None
    backoffLimit: Int32 | None = None
    backoffLimitPerIndex: Int32 | None = None
    maxFailedIndexes: Int32 | None = None
    ttlSecondsAfterFinished: Int32 | None = None
    completionMode: Annotated[str | None, _one_of(NON_INDEXED, INDEXED)] = None
    suspend: bool | None = None
    podReplacementPolicy: Annotated[str | None, _one_of(FAILED_ONLY, TERMINATING_OR_FAILED)] = None
    podFailurePolicy: FailurePolicyShape | None = None
    successPolicy: SuccessPolicyShape | None = None
    managedBy: str | None = None
    manualSelector: bool | None = None
    selector: dict[str, Any] | None = None
    template: TemplateShape


class MetadataShape(Shape):
    """``metadata``, as far as people write it."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str | None = None
    generateName: str | None = None
    namespace: str | None = None
    annotations: dict[str, str] | None = None
    labels: dict[str, str] | None = None


class JobShape(Shape):
    """A whole document. ``status`` may be there, as ``kubectl get -o yaml`` prints it, and is not read."""

    apiVersion: Literal["batch/v1"]
    kind: Literal["Job"]
    metadata: MetadataShape
    spec: JobSpecShape
    status: dict[str, Any] | None = None
