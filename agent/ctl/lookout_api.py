"""Asks a Lookout's API over HTTP for a command, and turns its errors into those of ``failctl``."""

import http.client
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct

from agent.bounds import OutOfBoundsError
from agent.console.exits import CommandError, FindingError, NotFoundError, UnreachableError, UsageError
from agent.console.terminal import visible
from agent.ctl.server import user
from agent.json_reader.reader import Reader
from agent.wire import caller

BASE: Final = "/api/v1"

_SECONDS: Final = 30.0
"""A Lookout stops a question itself after 10 s."""

_SOON: Final = 0.5

_MOST_BYTES: Final = 256 << 20
"""500 jobs with ten runs each are less than 10 MB."""

_REFUSED_AS_ASKED: Final = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.METHOD_NOT_ALLOWED,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.REQUEST_URI_TOO_LONG,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
_NO_SUCH_PATH: Final = "not-found"
"""The code of a path that a Lookout does not have. What has no such id or name has another."""

Of = TypeVar("Of")
Items = Sequence[tuple[str, str]]


class _Problem(Struct, frozen=True):
    """An error, as RFC 9457 has it."""

    detail: str
    code: str = ""


_PROBLEM: Final = Reader(_Problem)


class LookoutClient:
    """Asks one Lookout, on one connection. Raises the errors of ``failctl``."""

    def __init__(self, url: str, *, seconds: float = _SECONDS) -> None:
        self._url: Final = url
        self._connection: Final = connection_to(url, seconds)

    def get(self, path: str, items: Items, reader: Reader[Of]) -> Of:
        """What is at a path below ``/api/v1``."""
        question = f"?{urlencode(items, quote_via=quote)}" if items else ""
        status, body = self._ask(f"{BASE}/{path}{question}")
        if status is not HTTPStatus.OK:
            raise self._as_ours(status, body)
        try:
            return reader.decode(body)
        except (OutOfBoundsError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._unreadable(str(error)) from error

    def close(self) -> None:
        self._connection.close()

    def _ask(self, target: str) -> tuple[HTTPStatus, bytes]:
        headers = {"Accept": "application/json", caller.WHO: caller.encode(user())}
        try:
            response = self._response(target, headers)
            body = response.read(_MOST_BYTES + 1)
            if response.length and len(body) <= _MOST_BYTES:
                raise ConnectionError("the connection ended before its answer did")
        except OSError as error:
            why = (error.strerror or str(error) or "no answer").lower()
            hint = "is failure-agent lookout running? --lookout URL names another"
            raise UnreachableError(f"the Lookout at {self._url}: {why}; {hint}") from error
        except http.client.HTTPException as error:
            raise UnreachableError(
                f"what answers at {self._url} does not answer as HTTP does; is it a Lookout?"
            ) from error
        if len(body) > _MOST_BYTES:
            raise self._unreadable(f"larger than {_MOST_BYTES >> 20} MiB")
        try:
            return HTTPStatus(response.status), body
        except ValueError as error:
            raise self._unreadable(str(error)) from error

    def _response(self, target: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        """The beginning of an answer. A server closes a connection that was idle for seconds: then on another one."""
        was_open = self._connection.sock is not None
        try:
            self._connection.request("GET", target, headers=headers)
            return self._connection.getresponse()
        except ConnectionError:
            if not was_open:
                raise
        self._connection.close()
        self._connection.request("GET", target, headers=headers)
        return self._connection.getresponse()

    def _as_ours(self, status: HTTPStatus, body: bytes) -> Exception:
        try:
            problem = _PROBLEM.decode(body)
        except (OutOfBoundsError, msgspec.DecodeError, UnicodeDecodeError):
            return UnreachableError(f"what answers at {self._url} is no Lookout: {status.value} {status.phrase}")
        said = visible(problem.detail)
        if problem.code == _NO_SUCH_PATH:
            return self._unreadable(problem.detail)
        if status is HTTPStatus.NOT_FOUND:
            return NotFoundError(said)
        if status in _REFUSED_AS_ASKED:
            return UsageError(said)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return UnreachableError(f"the Lookout at {self._url}: {said}")
        return FindingError(said)

    def _unreadable(self, why: str) -> UsageError:
        fix = "if it is of a later version, use its failctl"
        return UsageError(f"what the Lookout at {self._url} answers cannot be read: {visible(why)}; {fix}")


def connection_to(url: str, seconds: float) -> http.client.HTTPConnection:
    """A connection that waits so long for the next bytes. Raises UsageError for a port that is none."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        return kind(parts.hostname or "", parts.port, timeout=seconds)
    except ValueError as error:  # a port that is none
        raise UsageError(f"{visible(url)}: {error}") from error


@contextmanager
def opened(url: str, *, seconds: float = _SECONDS) -> Iterator[LookoutClient]:
    """A client of the Lookout at a URL."""
    client = LookoutClient(url, seconds=seconds)
    try:
        yield client
    finally:
        client.close()


class _Version(Struct, frozen=True):
    """Which program answers."""

    process: str


def answers(url: str) -> bool:
    """Whether a Lookout answers at a URL, and soon."""
    with opened(url, seconds=_SOON) as client:
        try:
            return client.get("version", (), Reader(_Version)).process == "lookout"
        except CommandError:
            return False
