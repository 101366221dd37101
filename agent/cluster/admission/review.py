"""AdmissionReview v1: the request as a value, and the response to an answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Literal, Protocol

import msgspec
from msgspec import Struct

from agent.bounds import OutOfBoundsError
from agent.core.admission.conditions import PodCondition, Withheld
from agent.json_reader.reader import Reader
from agent.kube.objects import Pod

_API_VERSION: Final = "admission.k8s.io/v1"
_KIND: Final = "AdmissionReview"
_FAILED: Final = "Failed"
_LONGEST_UID: Final = 128
"""Characters. The uid is sent back; the API server's has 36."""

Answer = tuple[PodCondition, ...] | Withheld
"""The conditions that a pod gets, or why it gets none."""


class BadReview(ValueError):
    """The bytes are no AdmissionReview with pods; the text says what is wrong."""


class _Resource(Struct, frozen=True, gc=False):
    """request.resource."""

    group: str = ""
    resource: str = ""


class _Request(Struct, frozen=True, gc=False, rename="camel"):
    """request. ``object`` and ``oldObject`` are null where an operation has none."""

    uid: Annotated[str, msgspec.Meta(min_length=1, max_length=_LONGEST_UID)]
    resource: _Resource = _Resource()
    sub_resource: str | None = None
    operation: str = ""
    namespace: str | None = None
    dry_run: bool | None = None
    object: Pod | None = None
    old_object: Pod | None = None


class _AdmissionReview(Struct, frozen=True, gc=False, rename="camel"):
    api_version: Literal["admission.k8s.io/v1"]
    kind: Literal["AdmissionReview"]
    request: _Request


_READER: Final = Reader(_AdmissionReview)
_ENCODER: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A write that the API server asks about: the pod before and after. ``of_status``: an update of a pod's status.

    A webhook that is configured wider than ours sends other writes too.
    """

    uid: str
    dry_run: bool
    namespace: str
    of_status: bool
    old: Pod
    new: Pod

    @property
    def is_failure(self) -> bool:
        """Whether this write is the moment at which the pod fails."""
        return self.of_status and self.new.status.phase == _FAILED and self.old.status.phase != _FAILED


class Decider(Protocol):
    """Says which conditions a pod gets, from memory only: without waiting, and without an exception for any pod."""

    def answer(self, review: Review) -> Answer: ...


def read_review(body: bytes) -> Review:
    """Read a request. Raises BadReview."""
    try:
        request = _READER.decode(body).request
    except (msgspec.DecodeError, UnicodeDecodeError, OutOfBoundsError) as error:
        raise BadReview(f"no AdmissionReview of {_API_VERSION} with pods: {error}") from error
    return Review(
        uid=request.uid,
        dry_run=request.dry_run is True,
        namespace=request.namespace or "",
        of_status=_is_update_of_status(request),
        old=request.old_object or Pod(),
        new=request.object or Pod(),
    )


def _is_update_of_status(request: _Request) -> bool:
    where = (request.resource.group, request.resource.resource, request.sub_resource)
    return where == ("", "pods", "status") and request.operation == "UPDATE"


def added(review: Review, answer: Answer) -> tuple[PodCondition, ...]:
    """The conditions of an answer that the pod does not have yet, whatever their status there."""
    if isinstance(answer, Withheld):
        return ()
    present = {condition.type for condition in review.new.status.conditions or ()}
    return tuple([condition for condition in answer if condition.type not in present])


def response(review: Review, conditions: Iterable[PodCondition], now: datetime) -> bytes:
    """Write the response: the pod is always allowed, and gets these conditions after those that it has.

    The patch has no ``test``: a patch that does not apply fails the write, although ``failurePolicy`` is Ignore.
    """
    said: dict[str, object] = {"uid": review.uid, "allowed": True}
    values = [_condition(condition, now) for condition in conditions]
    if values:
        said |= {"patchType": "JSONPatch", "patch": _ENCODER.encode(_patch(review.new, values))}
    return _ENCODER.encode({"apiVersion": _API_VERSION, "kind": _KIND, "response": said})


def _patch(pod: Pod, values: list[dict[str, str]]) -> list[dict[str, object]]:
    if not pod.status.conditions:
        return [{"op": "add", "path": "/status/conditions", "value": values}]
    return [{"op": "add", "path": "/status/conditions/-", "value": value} for value in values]


def _condition(condition: PodCondition, now: datetime) -> dict[str, str]:
    return {
        "type": condition.type,
        "status": "True",
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
