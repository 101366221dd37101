"""Which API a command talks to, and its errors as those of ``failctl``."""

import getpass
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import grpc

from agent.client.errors import ApiError, ApiUnreachable
from agent.client.resources import ResourceClient, connect
from agent.console.exits import FindingError, NotFoundError, UnreachableError, UsageError
from agent.ctl.context.contexts import check_address, read_contexts

DEFAULT: Final = "127.0.0.1:8083"
"""Where a scheduler on this machine listens unless its settings say otherwise."""

VARIABLE: Final = "FAILCTL_SERVER"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerChoice:
    """The API as typed: its address, or a context."""

    server: str | None = None
    context: str | None = None

    def options(self) -> tuple[str, ...]:
        """Options by which another command finds the same API."""
        if self.server is not None:
            return ("--server", self.server)
        return () if self.context is None else ("--context", self.context)

    def address(self, environ: Mapping[str, str]) -> str | None:
        """Its address; ``None`` if nobody has chosen one. Raises UsageError and NotFoundError."""
        if self.server is not None:
            return check_address(self.server)
        if self.context is None and environ.get(VARIABLE):
            return check_address(environ[VARIABLE])
        found = read_contexts(environ)
        name = self.context or found.current
        return None if name is None else check_address(found.named(name).server)


@contextmanager
def api(choice: ServerChoice, environ: Mapping[str, str]) -> Iterator[ResourceClient]:
    """A client of the chosen API, or of this machine's. Raises the errors of ``failctl``, also inside the block."""
    address = choice.address(environ) or DEFAULT
    with translated(), connect(address, who=user()) as client:
        yield client


@contextmanager
def translated() -> Iterator[None]:
    """Raise the errors of ``failctl`` for those of the API."""
    try:
        yield
    except ApiUnreachable as error:
        hint = "" if error.answered else "; is the scheduler running? --server HOST:PORT names another"
        raise UnreachableError(f"{error}{hint}") from error
    except ApiError as error:
        raise _as_ours(error) from error


def _as_ours(error: ApiError) -> Exception:
    if error.code is grpc.StatusCode.NOT_FOUND:
        return NotFoundError(str(error))
    if error.code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED):
        return UsageError(str(error))
    return FindingError(str(error))


def user() -> str:
    """Who asks, as far as this machine says."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return "unknown"
