"""The shapes of a scenario file: failures one after the other, and the expected verdicts (ours)."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from agent.core.evidence import ContainerKind
from agent.core.failure import Grade, Occurrence, Origin
from agent.core.limit import Reason
from agent.documents.shape import Shape
from agent.manifests.fields import Bytes, Duration, Quantity
from agent.manifests.matchers.facts import NodeConditionShape
from agent.manifests.retry.shapes import BackoffShape, Limit

Word = Literal["Retry", "Fail"]


class ContainerShape(Shape):
    """A container as it ended. Without ``exitCode`` it still runs, or waits for the reason in ``waiting``."""

    name: str
    kind: Annotated[ContainerKind, Strict(False)] = ContainerKind.APP
    exitCode: int | None = None
    signal: int | None = None
    reason: str = ""
    message: str = ""
    waiting: str = ""
    finishedAfter: Duration | None = None
    memory: Bytes | None = None
    memoryLimit: Bytes | None = None


class FailureShape(Shape):
    """What is known of one failed run."""

    occurrence: Annotated[Occurrence, Strict(False)] = Occurrence.POD_FAILED
    reason: str = ""
    conditions: list[NodeConditionShape] | None = None
    containers: list[ContainerShape] | None = None
    category: str | None = None
    subcategory: str = ""
    categories: list[str] | None = None
    origin: Annotated[Origin, Strict(False)] = Origin.UNKNOWN
    corroborated: bool | None = None
    grade: Annotated[Grade, Strict(False)] | None = None
    nodeConditions: list[NodeConditionShape] | None = None
    node: str = ""
    lasted: Duration | None = None
    gracePeriod: Duration | None = None
    returned: bool = False
    failFast: bool = False
    requests: dict[str, Quantity] | None = None


class ExpectShape(Shape):
    """What is expected of the verdict; a field that is left out is not compared."""

    verdict: Word | None = None
    reason: Annotated[Reason, Strict(False)] | None = None
    policy: str | None = None
    rule: str | None = None
    delay: Duration | None = None
    avoidNodes: list[str] | None = None
    memory: dict[str, Bytes] | None = None
    shadow: Word | None = None


class StepShape(FailureShape):
    """One failure, repeated ``times`` times; or ``gang``, the failures of one generation."""

    times: Annotated[int, Field(ge=1, le=10_000)] = 1
    after: Duration | None = None
    draw: Annotated[float, Field(ge=0, le=1)] = 0.0
    gang: Annotated[list[FailureShape], Field(min_length=2)] | None = None
    expect: ExpectShape | None = None


class SettingsShape(Shape):
    """``retryPolicy:`` of the scheduler's settings, as far as the engine needs it."""

    enabled: bool = True
    globalMaxRetries: Limit = 20
    defaultPolicyName: str | None = None
    defaultBackoff: BackoffShape | None = None
    maxAttemptedRuns: Annotated[int, Field(ge=1)] = 3
    gangSettle: Duration | None = None


class NodesShape(Shape):
    """A number of ready nodes of one shape."""

    allocatable: dict[str, Quantity]
    ready: Annotated[int, Field(ge=0)]


class ScenarioShape(Shape):
    name: str
    policies: list[str] | None = None
    annotation: list[str] | None = None
    settings: SettingsShape | None = None
    nodes: list[NodesShape] | None = None
    failures: Annotated[list[StepShape], Field(min_length=1)]
