"""The connection to an API server: raw bytes in and out, credentials and TLS by the official client.

The official client's generated methods decode into models, which takes many times longer than into the structs of
``objects`` (``bench/watch.py``), and have one timeout for a whole request: they cannot limit how long a stream is idle.
So the client's low-level request call is used, which takes an aiohttp timeout.
"""

import errno
import os
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from types import TracebackType
from typing import Final, Protocol, Self

import aiohttp
import structlog
from kubernetes.aio.client import ApiClient
from kubernetes.aio.client.rest import RESTClientObject
from kubernetes.aio.config import ConfigException

from agent.kube.credentials import ConfigurationError, Credentials
from agent.kube.date import UNCACHED, DatedAnswer, DateHandler, any_date, server_date
from agent.kube.errors import ApiError, Forbidden, Unauthorized, Unreachable, Untrusted, error_of_answer
from agent.kube.sockets import Sockets
from agent.settings.kube import KubeSettings

_LOG = structlog.stdlib.get_logger(__name__)

USER_AGENT: Final = "failure-agent"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"

_CONNECT_SECONDS: Final = 10.0
_REQUEST_SECONDS: Final = 60.0
_IDLE_SECONDS: Final = 30.0
_ERROR_BODY_LIMIT: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 18
"""Bytes taken from a stream at a time. Splitting it into lines holds it in memory twice."""

Params = Mapping[str, str]
Body = Mapping[str, object] | list[Mapping[str, object]]

ForbiddenHandler = Callable[[str, str, Params], None]
"""Called with method, path and parameters of each request for which the server says that a permission is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    method: str
    path: str
    limits: aiohttp.ClientTimeout
    params: Params = field(default_factory=dict)
    body: Body | None = None
    content_type: str | None = None


class _Answer(Protocol):
    """The part of the client's RESTResponse that is used."""

    response: aiohttp.ClientResponse


class Connection:
    """A connection to an API server. One per process; close it by leaving ``async with``.

    Every call raises ApiError (Gone, Unauthorized, Forbidden) when the server refuses, and Unreachable when it does
    not answer. After a 401, or when the server's certificate is not trusted, the credentials are read again and the
        request is repeated: tokens, client certificates and authorities rotate while the process runs.
    """

    def __init__(self, credentials: Credentials) -> None:
        self._on_forbidden: ForbiddenHandler = _ignore
        self._on_date: DateHandler = _ignore_date
        self._credentials = credentials
        self._tls = credentials.tls()
        self._sockets = Sockets()
        self._client = ApiClient(credentials.configuration)
        self._client.user_agent = USER_AGENT
        self._give_sockets(self._client.rest_client)
        self._retired: RESTClientObject | None = None

    @classmethod
    async def open(cls, settings: KubeSettings) -> Self:
        """Read the credentials; nothing is sent yet. Raises ConfigurationError."""
        return cls(await Credentials.load(settings))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()
        if self._retired is not None:
            await self._retired.close()
        await self._sockets.close()

    def on_forbidden(self, handler: ForbiddenHandler) -> None:
        """Call ``handler`` for every request that lacks a permission from now on. It replaces the one before."""
        self._on_forbidden = handler

    def on_date(self, handler: DateHandler) -> None:
        """Call ``handler`` for every answer that has the server's time from now on. It replaces the one before."""
        self._on_date = handler

    async def get(self, path: str, params: Params | None = None, *, seconds: float = _REQUEST_SECONDS) -> bytes:
        """The body of a GET, which may take ``seconds`` in all."""
        limits = aiohttp.ClientTimeout(total=seconds, sock_connect=_CONNECT_SECONDS, sock_read=_IDLE_SECONDS)
        async with self._exchange(_Request(method="GET", path=path, params=params or {}, limits=limits)) as response:
            return await _read(response)

    async def patch(self, path: str, body: Body, content_type: str) -> bytes:
        """Patch an object; ``content_type`` is one of the three patch types above. Returns the object as it is now."""
        limits = aiohttp.ClientTimeout(total=_REQUEST_SECONDS, sock_connect=_CONNECT_SECONDS)
        request = _Request(method="PATCH", path=path, body=body, content_type=content_type, limits=limits)
        async with self._exchange(request) as response:
            return await _read(response)

    async def post(
        self, path: str, body: Body, params: Params | None = None, *, seconds: float = _REQUEST_SECONDS
    ) -> bytes:
        """Create an object. Returns the object as it is now."""
        limits = aiohttp.ClientTimeout(total=seconds, sock_connect=_CONNECT_SECONDS)
        request = _Request(
            method="POST", path=path, params=params or {}, body=body, content_type="application/json", limits=limits
        )
        async with self._exchange(request) as response:
            return await _read(response)

    async def put(self, path: str, body: Body, *, seconds: float = _REQUEST_SECONDS) -> bytes:
        """Replace an object; its ``metadata.resourceVersion``, if given, is a condition. Returns it as it is now."""
        limits = aiohttp.ClientTimeout(total=seconds, sock_connect=_CONNECT_SECONDS)
        async with self._exchange(
            _Request(method="PUT", path=path, body=body, content_type="application/json", limits=limits)
        ) as response:
            return await _read(response)

    async def delete(self, path: str, body: Body) -> bytes:
        """Delete an object; ``body`` holds DeleteOptions. Returns the object as it is now, or a Status."""
        limits = aiohttp.ClientTimeout(total=_REQUEST_SECONDS, sock_connect=_CONNECT_SECONDS)
        request = _Request(method="DELETE", path=path, body=body, content_type="application/json", limits=limits)
        async with self._exchange(request) as response:
            return await _read(response)

    @asynccontextmanager
    async def stream(
        self, path: str, params: Params, *, seconds: float, idle_seconds: float
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body of a GET as it arrives, for at most ``seconds``; Unreachable if silent for ``idle_seconds``."""
        limits = aiohttp.ClientTimeout(total=seconds, sock_connect=_CONNECT_SECONDS, sock_read=idle_seconds)
        async with self._exchange(_Request(method="GET", path=path, params=params, limits=limits)) as response:
            yield _chunks(response)

    @asynccontextmanager
    async def _exchange(self, request: _Request) -> AsyncIterator[aiohttp.ClientResponse]:
        generation = self._credentials.generation
        try:
            response = await self._send(request)
        except (Unauthorized, Untrusted) as error:
            await self._renew(error, refused=generation)
            response = await self._send(request)
        async with response:
            yield response

    async def _renew(self, error: Unauthorized | Untrusted, *, refused: int) -> None:
        """Read the credentials again. Raises ``error`` if they cannot be read: it says what the server objects to."""
        try:
            await self._credentials.reload(refused=refused)
            tls = self._credentials.tls()
        except (ConfigurationError, OSError) as unread:
            _LOG.warning(
                "the API server needs other credentials, and they cannot be reloaded; the next request tries again",
                error=str(unread),
            )
            raise error from unread
        self._client.configuration = self._credentials.configuration
        if tls != self._tls:
            self._tls = tls
            await self._reconnect()

    async def _reconnect(self) -> None:
        """Use new TLS connections from now on.

        Streams that run on the old ones keep running, so that a rotated certificate does not cut every watch; the old
        pool is closed at the next rotation.
        """
        retired, self._retired = self._retired, self._client.rest_client
        self._client.rest_client = RESTClientObject(self._credentials.configuration)
        self._give_sockets(self._client.rest_client)
        if retired is not None:
            await retired.close()

    def _give_sockets(self, pool: RESTClientObject) -> None:
        """Have a pool that has sent nothing yet take its sockets from ours."""
        connector = self._sockets.connector(limit=pool.maxsize, tls=pool.ssl_context)
        pool.configuration.client_session_kwargs |= {"connector": connector}

    async def _send(self, request: _Request) -> aiohttp.ClientResponse:
        method, url, headers, body = await self._serialize(request)
        sent = time.clock_gettime(time.CLOCK_BOOTTIME)
        try:
            answer: _Answer = await self._client.rest_client.request(
                method, url, headers=headers, body=body, _request_timeout=request.limits
            )
        except aiohttp.ClientConnectorCertificateError as error:
            where = _address(error.host, error.port)
            raise Untrusted(f"the certificate of {where} is not trusted: {error.certificate_error}") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _unreachable(error) from error
        self._note_date(answer.response, sent=sent)
        if answer.response.status < HTTPStatus.BAD_REQUEST:
            return answer.response
        async with answer.response:
            refusal = await _error_of(answer.response)
        if isinstance(refusal, Forbidden) and not refusal.by_admission:
            self._on_forbidden(request.method, request.path, request.params)
        raise refusal

    def _note_date(self, response: aiohttp.ClientResponse, *, sent: float) -> None:
        received = time.clock_gettime(time.CLOCK_BOOTTIME)
        if (date := server_date(response.status, response.headers)) is not None:
            self._on_date(DatedAnswer(sent=sent, received=received, date=date))

    async def _serialize(self, request: _Request) -> tuple[str, str, dict[str, str], object]:
        """Method, URL, headers and body, with the current credentials. A token file may end in a line break."""
        kind = {} if request.content_type is None else {"Content-Type": request.content_type}
        try:
            method, url, headers, body, _ = await self._client.param_serialize(
                request.method,
                request.path,
                query_params=list(request.params.items()),
                header_params={"Accept": "application/json"} | UNCACHED | kind,
                body=request.body,
                auth_settings=["BearerToken"],
            )
        except (ConfigException, OSError) as error:
            raise Unreachable(f"the credentials for the API server cannot be read: {error}") from error
        return method, url, {name: str(value).strip() for name, value in headers.items()}, body


def _ignore(method: str, path: str, params: Params) -> None:
    del method, path, params


def _ignore_date(answer: DatedAnswer) -> None:
    del answer


async def _error_of(response: aiohttp.ClientResponse) -> ApiError:
    try:
        body = await response.content.read(_ERROR_BODY_LIMIT)
    except (aiohttp.ClientError, TimeoutError, OSError):
        body = b"(the connection broke before the error message arrived)"
    now = any_date(response.headers) or datetime.now(UTC)  # a Retry-After is by the clock of who wrote it
    return error_of_answer(response.status, body, retry_after=response.headers.get("Retry-After"), now=now)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    try:
        return await response.read()
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise _unreachable(error) from error


async def _chunks(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            yield chunk
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise _unreachable(error) from error


def _unreachable(error: Exception) -> Unreachable:
    if isinstance(error, aiohttp.ClientConnectorError):
        return Unreachable(f"cannot connect to {_address(error.host, error.port)}: {_reason(error.os_error)}")
    return Unreachable(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def _address(host: str, port: int | None) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _reason(error: OSError) -> str:
    """The operating system's words for its error numbers; asyncio adds the address, which is named already."""
    if error.errno is not None and error.errno in errno.errorcode and not isinstance(error, ssl.SSLError):
        return os.strerror(error.errno)
    return error.strerror or str(error)
