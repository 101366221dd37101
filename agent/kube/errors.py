"""The errors of requests to the API server: it refused, or it did not answer."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import msgspec
from msgspec import Struct

from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer


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


_STATUS = Reader(Status)
_TEXT_LIMIT = 500
_WEBHOOK = 'admission webhook "'
_DENIED = " is forbidden: "


class Unreachable(Exception):
    """No answer: the connection failed, was cut, or stayed silent for too long."""


class Untrusted(Unreachable):
    """The server's certificate is not signed by an authority we trust."""


class ApiError(Exception):
    """The server answered, and refused.

    ``reason`` and ``message`` are those of its Status object, or the plain text it sent instead; ``causes`` are the
    reasons in its details. ``retry_after`` is how many seconds the server asked to wait, ``None`` if it did not ask.
    """

    def __init__(
        self,
        status: int,
        reason: str = "",
        message: str = "",
        *,
        causes: Sequence[str] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status} {reason}: {message}" if reason else f"{status}: {message}")
        self.status = status
        self.reason = reason
        self.message = message
        self.causes = causes
        self.retry_after = retry_after


class NotStreamed(Exception):
    """The server does not support streamed lists: it rejected or ignored the parameters that ask for one."""


class Gone(ApiError):
    """410: the resourceVersion or continue token is no longer known."""


class Unauthorized(ApiError):
    """401: the credentials are not accepted."""


class Forbidden(ApiError):
    """403: the credentials lack the permission, or admission denies the object."""

    @property
    def by_admission(self) -> bool:
        """Whether admission denied the object, as for a quota.

        The authorizer says what the user cannot do (apiserver responsewriters.ForbiddenStatus); proxies say neither.
        """
        said = self.message
        return said.startswith(_WEBHOOK) or (_DENIED in said and " cannot " not in said)


_BY_STATUS: Mapping[int, type[ApiError]] = {
    HTTPStatus.GONE: Gone,
    HTTPStatus.UNAUTHORIZED: Unauthorized,
    HTTPStatus.FORBIDDEN: Forbidden,
}


def error_of_answer(status: int, body: bytes, *, retry_after: str | None, now: datetime) -> ApiError:
    """The error for an HTTP answer of 400 or above. The body may be a Status object or plain text."""
    status_object = read_status(body)
    text = body[:_TEXT_LIMIT].decode(errors="replace").strip()
    message = text if status_object.message is None else status_object.message
    details = status_object.details
    return _BY_STATUS.get(status, ApiError)(
        status,
        status_object.reason or "",
        message,
        causes=tuple(cause.reason or "" for cause in details.causes or ()) if details else (),
        retry_after=read_retry_after(retry_after, now=now),
    )


def error_for(status: int, reason: str, message: str, *, retry_after: float | None = None) -> ApiError:
    """The error class for this HTTP status, filled in."""
    return _BY_STATUS.get(status, ApiError)(status, reason, message, retry_after=retry_after)


def read_status(body: bytes) -> Status:
    """The Status object in a body; an empty one if there is none."""
    try:
        return read_answer(_STATUS, body)
    except msgspec.DecodeError:
        return Status()


def read_retry_after(value: str | None, *, now: datetime) -> float | None:
    """Seconds to wait, from a Retry-After header (RFC 9110 10.2.3): seconds or a date. Anything else is ``None``."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
