"""The shapes of a ``Queue``: ours, and Armada's (armadactl ``create queue``, ``pkg/client/queue``)."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from agent.core.queue import GracefulShutdown, LostCluster, SubjectKind, Verb
from agent.documents.shape import Shape
from agent.manifests.fields import Label, Name, Quantity
from agent.manifests.retry.shapes import Limit, PolicyName

Priority = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class SubjectShape(Shape):
    kind: Annotated[SubjectKind, Strict(False)] = SubjectKind.USER
    name: Name


class PermissionShape(Shape):
    """Who may do what."""

    subjects: Annotated[list[SubjectShape], Field(min_length=1)]
    verbs: Annotated[list[Annotated[Verb, Strict(False)]], Field(min_length=1)]


class QueueSpecShape(Shape):
    retryPolicies: list[PolicyName] | None = None
    priority: Priority | None = None
    clusters: list[Name] | None = None
    maxActiveRuns: Limit | None = None
    applyToJobs: bool | None = None
    gracefulShutdown: Annotated[GracefulShutdown, Strict(False)] | None = None
    lostCluster: Annotated[LostCluster, Strict(False)] | None = None
    namespaces: list[Name] | None = None
    serviceAccounts: list[Name] | None = None
    permissions: list[PermissionShape] | None = None
    cordoned: bool | None = None
    labels: dict[str, Label] | None = None


class MetadataShape(Shape):
    name: Name


class QueueShape(Shape):
    apiVersion: Literal["armadaproject.io/v1", "armadaproject.io/v1beta1"]
    kind: Literal["Queue"]
    metadata: MetadataShape
    spec: QueueSpecShape


class ResourceShareShape(Shape):
    """Armada's limits of a priority class, as shares of a cluster; they do not limit retries."""

    maximumResourceFraction: dict[str, float] | None = None
    maximumResourceFractionByPool: dict[str, dict[str, dict[str, float]]] | None = None


class ArmadaQueueShape(Shape):
    apiVersion: Literal["armadaproject.io/v1beta1"]
    kind: Literal["Queue"]
    name: Name
    priorityFactor: Priority | None = None
    userOwners: list[Name] | None = None
    groupOwners: list[Name] | None = None
    permissions: list[PermissionShape] | None = None
    resourceLimits: dict[str, float | Quantity] | None = None
    resourceLimitsByPriorityClassName: dict[str, ResourceShareShape] | None = None
    cordoned: bool | None = None
    labels: dict[str, Label] | None = None
    retryPolicies: list[PolicyName] | None = None
