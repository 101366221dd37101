"""The shapes of documents that are submitted: Armada's jobs file (``armadactl submit``), and a ``v1`` Pod.

The pods' specs are checked by ``pod_spec``.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from agent.documents.problem import quote
from agent.documents.shape import Shape, refuse


def _check_printable(text: str) -> str:
    if not text.isprintable():
        raise refuse("control-character", f"{quote(text)} contains a character that cannot be printed")
    return text


_PRINTABLE = AfterValidator(_check_printable)

# Those of manifests.fields take long to import.
Name = Annotated[str, Field(min_length=1, max_length=63), _PRINTABLE]
"""The name of a queue or namespace."""

JobSetId = Annotated[str, Field(min_length=1, max_length=1023), _PRINTABLE]
ClientId = Annotated[str, Field(min_length=1, max_length=100), _PRINTABLE]
"""As long as Armada takes them."""


class JobItemShape(Shape):
    """One of ``jobs``. ``refused`` says which of its fields are known but not supported."""

    priority: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    namespace: Name
    clientId: ClientId | None = None
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
    jobSetId: JobSetId
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
