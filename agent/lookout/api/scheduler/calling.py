"""Calls the scheduler, with what a request says of its caller."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

import grpc
import grpc.aio
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from starlette.datastructures import Headers

from agent.client.errors import ApiError, ApiUnreachable, translated_errors
from agent.lookout.api.problems import RETRY_SECONDS, Problem
from agent.wire.caller import WHO

_SECONDS: Final = 60.0
"""The deadline of a call."""

_MOST_BYTES: Final = 256 << 20
"""A timeline has every run of a job, with its failures."""

_OPTIONS: Final = {
    "grpc.max_receive_message_length": _MOST_BYTES,
    # Otherwise one that was unavailable for long is not tried for two minutes more, and each request is refused.
    "grpc.max_reconnect_backoff_ms": RETRY_SECONDS * 1_000,
}

_PASSED_ON: Final = (WHO, "authorization")
"""The headers that say who asks; the scheduler gets them as they are."""

_STATUSES: Final[Mapping[grpc.StatusCode, HTTPStatus]] = {
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    grpc.StatusCode.ABORTED: HTTPStatus.CONFLICT,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.CONFLICT,
    grpc.StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    grpc.StatusCode.UNIMPLEMENTED: HTTPStatus.NOT_IMPLEMENTED,
    grpc.StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
}


class Scheduler:
    """The API of the scheduler. Calls are made by the event loop of the server, which made it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._channel = grpc.aio.insecure_channel(address, options=list(_OPTIONS.items()))

    async def call(self, method: MethodDescriptor, request: Message, headers: Headers) -> Message:
        """Make a call. Raises Problem with what the scheduler says."""
        answer = GetMessageClass(method.output_type)
        stub: Callable[..., Awaitable[Message]] = self._channel.unary_unary(
            f"/{method.containing_service.full_name}/{method.name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )
        try:
            with translated_errors(self._address):
                found = await stub(request, timeout=_SECONDS, metadata=_metadata(headers))
        except ApiError as error:
            raise _problem(error) from error
        return found

    async def close(self) -> None:
        await self._channel.close()


@asynccontextmanager
async def reaching(address: str | None) -> AsyncIterator[Scheduler | None]:
    """The scheduler at an address, if there is one."""
    if address is None:
        yield None
        return
    scheduler = Scheduler(address)
    try:
        yield scheduler
    finally:
        await scheduler.close()


def _metadata(headers: Headers) -> Sequence[tuple[str, str]]:
    return [(name, _passed(name, value)) for name in _PASSED_ON for value in headers.getlist(name)]


def _passed(name: str, value: str) -> str:
    """The value of a header, which gRPC takes. Raises Problem, which does not repeat it: it may be a credential."""
    if value.isascii() and value.isprintable():
        return value
    detail = f"the header {name} has what is not printable ASCII; percent-encode a name, or leave the header out"
    raise Problem(HTTPStatus.BAD_REQUEST, "invalid-header", detail)


def _problem(error: ApiError) -> Problem:
    status = _STATUSES.get(error.code, HTTPStatus.BAD_GATEWAY)
    code = f"scheduler-{error.code.name.lower().replace('_', '-')}"
    headers = {"Retry-After": str(RETRY_SECONDS)} if isinstance(error, ApiUnreachable) else {}
    return Problem(status, code, str(error), headers=headers)
