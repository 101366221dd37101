"""One client of Pulsar, as we want it."""

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
    """Which Pulsar, and how it is reached."""

    address: Address
    settings: PulsarSettings

    @property
    def patience(self) -> int:
        """Whole seconds the library waits for an answer."""
        return math.ceil(self.settings.operation_timeout.total_seconds())


def open_client(endpoint: Endpoint) -> pulsar.Client:
    """Make a client; it connects when it is first used. Raises BadAddress where a file cannot be read."""
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
    """Close it with all that was opened through it; a broker that does not answer is not waited for."""
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
        _log.info("the pulsar client did not close in order", error=str(error))


def _certificate(settings: PulsarSettings) -> dict[str, str]:
    return {
        "tls_certificate_file_path": str(settings.certificate_file),
        "tls_private_key_file_path": str(settings.key_file),
    }
