"""What every call has in common: who asks, and which code an error has."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.rights import Denied, RightsUnknown
from agent.store.errors import StoreError
from agent.store.records.filters import BadQuestion
from agent.wire import caller
from agent.wire.error import WireError

_log = structlog.get_logger(__name__)

CODES: Final = {
    Why.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Why.EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Why.CONFLICT: grpc.StatusCode.ABORTED,
    Why.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Why.REFERENCED: grpc.StatusCode.FAILED_PRECONDITION,
    Why.READ_ONLY: grpc.StatusCode.ALREADY_EXISTS,
    Why.PROTECTED: grpc.StatusCode.FAILED_PRECONDITION,
}
"""The code of each refusal. A name that a file holds exists already."""


def who(context: Any) -> str:  # noqa: ANN401 - gRPC's
    """Who asks, as the client says."""
    said = dict(context.invocation_metadata() or ()).get(caller.WHO, "")
    return caller.decode(said if isinstance(said, str) else said.decode(errors="replace"))


@contextmanager
def answering(context: Any) -> Iterator[None]:  # noqa: ANN401 - gRPC's
    """End the call with the code of an error that was foreseen; another one is logged, and tells the client nothing."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - gRPC would send the text of an unforeseen error to the client
        context.abort(*_status(error))


@asynccontextmanager
async def answering_stream(context: Any) -> AsyncIterator[None]:  # noqa: ANN401 - gRPC's
    """The same for a stream, which may have been ended already."""
    try:
        yield
    except grpc.aio.AbortError:
        raise
    except Exception as error:  # noqa: BLE001 - gRPC would send the text of an unforeseen error to the client
        await context.abort(*_status(error))


def _status(error: Exception) -> tuple[grpc.StatusCode, str]:
    match error:
        case Refused():
            return CODES[error.why], str(error)
        case BadQuestion() | WireError():
            return grpc.StatusCode.INVALID_ARGUMENT, str(error)
        case Denied():
            return grpc.StatusCode.PERMISSION_DENIED, str(error)
        case RightsUnknown():
            return grpc.StatusCode.UNAVAILABLE, f"rights cannot be checked: {error}"
        case StoreError():
            return grpc.StatusCode.UNAVAILABLE, f"the store does not answer: {error}"
        case _:
            _log.error("a call of the API failed", exc_info=error)
            return grpc.StatusCode.INTERNAL, "the call failed; the scheduler's log says why"
