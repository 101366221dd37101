"""Pulsar's admin API: policies and settings for the pre-flight check, and what subscriptions have acknowledged."""

import ssl
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import quote, urlsplit

from msgspec import DecodeError

from agent.bounds import MAX_BYTES
from agent.broker.port import BadAddress, BrokerError, Unreachable
from agent.broker.pulsar.errors import Forbidden
from agent.broker.pulsar.policies import Configured
from agent.broker.pulsar.security import authorities, token_of
from agent.json_reader.reader import read_value
from agent.settings.pulsar import PulsarSettings

_SECONDS: Final = 5.0
_REFUSED: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class NotFound(BrokerError):
    """What was asked for does not exist."""


def configured(url: str, settings: PulsarSettings, *, namespace: str) -> Configured:
    """The policies of a namespace and the settings of the broker. Raises Forbidden, Unreachable and BadAddress."""
    policies: Mapping[str, Any] = _get(url, settings, f"/admin/v2/namespaces/{namespace}")
    try:
        broker: Mapping[str, str] | None = _get(url, settings, "/admin/v2/brokers/configuration/runtime")
    except Forbidden:
        # Only an admin of the whole cluster may read these; the check then leaves out what depends on them.
        broker = None
    return Configured(namespace=namespace, policies=policies, broker=broker)


def internal_stats(
    url: str, settings: PulsarSettings, *, namespace: str, topic: str, seconds: float
) -> Mapping[str, Any]:
    """The ledgers and cursors of a topic. Raises NotFound, Forbidden, Unreachable and BadAddress."""
    path = f"/admin/v2/persistent/{namespace}/{quote(topic)}/internalStats"
    stats: Mapping[str, Any] = _get(url, settings, path, seconds=seconds)
    return stats


def _get(url: str, settings: PulsarSettings, path: str, *, seconds: float = _SECONDS) -> Any:  # noqa: ANN401 - as the path has it
    connection = _connection(url, settings, seconds=seconds)
    try:
        connection.request("GET", path, headers=_headers(settings))
        answer = connection.getresponse()
        body = answer.read(MAX_BYTES + 1)
    except (OSError, HTTPException) as error:
        raise Unreachable(f"the admin API at {url} does not answer: {error}") from error
    finally:
        connection.close()
    if answer.status in _REFUSED:
        raise Forbidden(f"the admin API refuses our role the right to read {path}")
    if answer.status == HTTPStatus.NOT_FOUND:
        raise NotFound(f"the admin API at {url} does not know {path}")
    if answer.status != HTTPStatus.OK:
        raise BrokerError(f"the admin API at {url} answers {answer.status} to {path}")
    try:
        return read_value(body)
    except (ValueError, DecodeError) as error:
        raise BrokerError(f"the admin API at {url} answers {path} with what cannot be read: {error}") from error


def _connection(url: str, settings: PulsarSettings, *, seconds: float) -> HTTPConnection:
    parts = urlsplit(url)
    if parts.hostname is None or parts.scheme not in {"http", "https"}:
        raise BadAddress(f"broker.pulsar.adminUrl: {url} is not http://HOST:PORT or https://HOST:PORT")
    if parts.scheme == "http":
        return HTTPConnection(parts.hostname, parts.port, timeout=seconds)
    context = ssl.create_default_context(cafile=authorities(settings))
    context.check_hostname = settings.check_hostname
    if settings.certificate_file is not None and settings.key_file is not None:
        context.load_cert_chain(settings.certificate_file, settings.key_file)
    return HTTPSConnection(parts.hostname, parts.port, timeout=seconds, context=context)


def _headers(settings: PulsarSettings) -> Mapping[str, str]:
    token = token_of(settings)
    return {} if token is None else {"Authorization": f"Bearer {token()}"}
