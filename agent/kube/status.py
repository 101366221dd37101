"""The metav1 Status, with which an API server refuses."""

from msgspec import Struct


class StatusCause(Struct, gc=False, frozen=True):
    """details.causes[] of a metav1 Status."""

    reason: str | None = None


class StatusDetails(Struct, gc=False, frozen=True):
    """details of a metav1 Status."""

    causes: list[StatusCause] | None = None


class Status(Struct, gc=False, frozen=True):
    """A metav1 Status: what the server says when it refuses."""

    code: int | None = None
    reason: str | None = None
    message: str | None = None
    details: StatusDetails | None = None
