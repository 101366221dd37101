"""Opening and closing the client of Pulsar."""

import math
from dataclasses import dataclass
from threading import Thread
from typing import Final

import pulsar
import structlog

from agent.broker.pulsar.address import Address
from agent.broker.pulsar.client_log import client_log
from agent.broker.pulsar.security import authentication, authorities, check_files
from agent.settings.pulsar import PulsarSettings

_log = structlog.get_logger(__name__)
_CLOSE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A Pulsar cluster, and the settings to reach it."""

    address: Address
    settings: PulsarSettings

    @property
    def patience(self) -> int:
        """Whole seconds the library waits for an answer."""
        return math.ceil(self.settings.operation_timeout.total_seconds())


def open_client(endpoint: Endpoint) -> pulsar.Client:
    """Create a client; it connects on first use. Raises BadAddress if a file cannot be read."""
    settings = endpoint.settings
    check_files(settings)
    transport = {} if settings.certificate_file is None else _certificate(settings)
    return pulsar.Client(
        endpoint.address.service_url,
        authentication=authentication(settings),
        operation_timeout_seconds=endpoint.patience,
        connection_timeout_ms=min(endpoint.patience, 10) * 1000,
        stats_interval_in_seconds=0,
        tls_trust_certs_file_path=authorities(settings),
        tls_validate_hostname=settings.check_hostname,
        logger=client_log(),
        **transport,
    )


def close_client(client: pulsar.Client) -> None:
    """Close it with everything opened through it; give up on a broker that does not answer after 5 s."""
    closing = Thread(target=_close, args=(client,), name="closing pulsar client", daemon=True)
    closing.start()
    closing.join(_CLOSE_SECONDS)
    if closing.is_alive():
        client.shutdown()
        closing.join(_CLOSE_SECONDS)


def _close(client: pulsar.Client) -> None:
    try:
        client.close()
    except pulsar.exceptions.PulsarException as error:
        _log.info("the pulsar client did not close cleanly; the broker drops its connections", error=str(error))


def _certificate(settings: PulsarSettings) -> dict[str, str]:
    return {
        "tls_certificate_file_path": str(settings.certificate_file),
        "tls_private_key_file_path": str(settings.key_file),
    }
