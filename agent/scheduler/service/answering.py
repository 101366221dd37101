"""What every call has in common: who asks, and which code an error has."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc
import structlog

from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.rights import Denied, RightsUnknown
from agent.store.errors import StoreError
from agent.store.records.filters import BadQuestion
from agent.wire.error import WireError

_log = structlog.get_logger(__name__)

WHO: Final = "failure-agent-user"
"""The metadata in which a client says who asks. Nobody checks it: the API listens on loopback only."""

_LONGEST_WHO: Final = 256

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
    """Who asks, as the client says; printable, and of a bounded length."""
    said = dict(context.invocation_metadata() or ()).get(WHO, "")
    text = said if isinstance(said, str) else said.decode(errors="replace")
    return "".join(one for one in text if one.isprintable())[:_LONGEST_WHO] or "unknown"


@contextmanager
def answering(context: Any) -> Iterator[None]:  # noqa: ANN401 - gRPC's
    """End the call with the code of an error that was foreseen; another one is logged, and tells the client nothing."""
    try:
        yield
    except Refused as error:
        context.abort(CODES[error.why], str(error))
    except (BadQuestion, WireError) as error:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
    except Denied as error:
        context.abort(grpc.StatusCode.PERMISSION_DENIED, str(error))
    except RightsUnknown as error:
        context.abort(grpc.StatusCode.UNAVAILABLE, f"rights cannot be checked: {error}")
    except StoreError as error:
        context.abort(grpc.StatusCode.UNAVAILABLE, f"the store does not answer: {error}")
    except Exception:  # noqa: BLE001 - gRPC would send the text of an unforeseen error to the client
        _log.exception("a call of the API failed")
        context.abort(grpc.StatusCode.INTERNAL, "the call failed; the scheduler's log says why")
