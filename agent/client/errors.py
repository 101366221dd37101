"""The errors of calls to the API."""

from collections.abc import Iterator
from contextlib import contextmanager

import grpc


class ApiError(Exception):
    """The server refuses a call; the message is its own. ``code`` is gRPC's."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class ApiUnreachable(ApiError):
    """No server answers, or it cannot answer now; trying again later may help."""


@contextmanager
def translated_errors(address: str) -> Iterator[None]:
    """Raise ApiError for errors of gRPC; ``address`` is named where nobody answers there."""
    try:
        yield
    except grpc.RpcError as error:
        code, said = error.code(), error.details() or ""
        if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            raise ApiUnreachable(code, f"the API at {address}: {_why(said) or code.name.lower()}") from error
        raise ApiError(code, said or f"the API at {address}: {code.name.lower()}") from error


def _why(said: str) -> str:
    """The reason in gRPC's text about a connection that failed, which names the address several times."""
    failed = "failed to connect to all addresses; last error: "
    return said.rpartition(": ")[2].lower() if said.startswith(failed) else said
