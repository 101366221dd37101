"""The errors of calls to the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import grpc

_NOT_CONNECTED: Final = "failed to connect to all addresses; last error: "


class ApiError(Exception):
    """The server refuses a call; the message is its own. ``code`` is gRPC's."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class ApiUnreachable(ApiError):
    """No server answers, or it cannot answer now; trying again later may help. ``answered``: a server said so."""

    def __init__(self, code: grpc.StatusCode, message: str, *, answered: bool) -> None:
        super().__init__(code, message)
        self.answered = answered


@contextmanager
def translated_errors(address: str) -> Iterator[None]:
    """Raise ApiError for errors of gRPC; ``address`` is named where nobody answers there."""
    try:
        yield
    except grpc.RpcError as error:
        code, said = error.code(), error.details() or ""
        if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            answered = code is grpc.StatusCode.UNAVAILABLE and not said.startswith(_NOT_CONNECTED)
            message = f"the API at {address}: {_why(said) or code.name.lower()}"
            raise ApiUnreachable(code, message, answered=answered) from error
        raise ApiError(code, said or f"the API at {address}: {code.name.lower()}") from error


def _why(said: str) -> str:
    """The reason in gRPC's text about a connection that failed, which names the address several times."""
    return said.rpartition(": ")[2].lower() if said.startswith(_NOT_CONNECTED) else said
