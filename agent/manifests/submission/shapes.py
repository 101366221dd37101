"""The shapes of documents that are submitted: Armada's jobs file (``armadactl submit``), and a ``v1`` Pod.

The pods' specs are checked by ``pod_spec``.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from agent.documents.problem import quote
from agent.documents.shape import Shape, refuse
from agent.manifests.fields import Name

MAX_JOB_SET = 1023
MAX_CLIENT_ID = 100
"""The longest ones that Armada takes, in characters."""


def _check_printable(text: str) -> str:
    if not text.isprintable():
        raise refuse("control-character", f"{quote(text)} contains a character that cannot be printed")
    return text


def _text(most: int) -> Any:  # noqa: ANN401 - what a field is annotated with
    return Annotated[str, Field(min_length=1, max_length=most), AfterValidator(_check_printable)]


class JobItemShape(Shape):
    """One of ``jobs``. ``refused`` says which of its fields are known but not supported."""

    priority: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    namespace: Name
    clientId: _text(MAX_CLIENT_ID) | None = None  # type: ignore[valid-type]  # made by a function
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    podSpec: dict[str, Any] | None = None
    podSpecs: list[dict[str, Any]] | None = None
    requiredNodeLabels: Any = None
    ingress: Any = None
    services: Any = None
    scheduler: Any = None


class JobsFileShape(Shape):
    """Armada's jobs file. ``queue`` may be given by an option instead."""

    queue: Name | None = None
    jobSetId: _text(MAX_JOB_SET)  # type: ignore[valid-type]  # made by a function
    jobs: Annotated[list[JobItemShape], Field(min_length=1)]


class PodMetadataShape(Shape):
    """``metadata`` of a Pod. What ``kubectl get -o yaml`` prints in addition may be there, and is not read."""

    name: str
    namespace: Name | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    generateName: Any = None
    ownerReferences: Any = None
    finalizers: Any = None
    creationTimestamp: Any = None
    uid: Any = None
    resourceVersion: Any = None
    generation: Any = None
    managedFields: Any = None


class PodShape(Shape):
    """A Pod; ``status`` is not read."""

    apiVersion: Literal["v1"]
    kind: Literal["Pod"]
    metadata: PodMetadataShape
    spec: dict[str, Any]
    status: Any = None
