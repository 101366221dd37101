"""Opens a client of the scheduler's API for a command, and turns its errors into those of ``failctl``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import grpc

from agent.client import jobs
from agent.client.errors import ApiError, ApiUnreachable
from agent.client.jobs import JobClient
from agent.client.resources import ResourceClient, connect
from agent.console.exits import FindingError, NotFoundError, UnreachableError, UsageError
from agent.ctl.server import DEFAULT, VARIABLE, ServerChoice, user
from agent.wire.error import WireError

_ANOTHER: Final = (
    "; is the scheduler running? --server HOST:PORT, --context NAME, --settings FILE of the scheduler or "
    f"{VARIABLE} names another"
)


@contextmanager
def api(choice: ServerChoice, environ: Mapping[str, str]) -> Iterator[ResourceClient]:
    """A client of the chosen API, or of this machine's. Raises the errors of ``failctl``, also inside the block."""
    with api_at(choice.address(environ)) as client:
        yield client


@contextmanager
def api_at(address: str | None) -> Iterator[ResourceClient]:
    """The same of the API at an address."""
    with translated(), connect(address or DEFAULT, who=user()) as client:
        yield client


@contextmanager
def jobs_api(choice: ServerChoice, environ: Mapping[str, str]) -> Iterator[JobClient]:
    """A client of the API's job service. Raises the errors of ``failctl``, also inside the block."""
    with jobs_api_at(choice.address(environ)) as client:
        yield client


@contextmanager
def jobs_api_at(address: str | None) -> Iterator[JobClient]:
    """The same of the API at an address."""
    with translated(), jobs.connect(address or DEFAULT, who=user()) as client:
        yield client


@contextmanager
def translated() -> Iterator[None]:
    """Turn errors of the API inside the block into those of ``failctl``."""
    try:
        yield
    except ApiUnreachable as error:
        hint = "" if error.answered else _ANOTHER
        raise UnreachableError(f"{error}{hint}") from error
    except ApiError as error:
        raise _as_ours(error) from error
    except WireError as error:
        message = f"what the API answers cannot be read: {error}; if the server is of a later version, use its failctl"
        raise UsageError(message) from error


def _as_ours(error: ApiError) -> Exception:
    if error.code is grpc.StatusCode.NOT_FOUND:
        return NotFoundError(str(error))
    if error.code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED):
        return UsageError(str(error))
    return FindingError(str(error))
