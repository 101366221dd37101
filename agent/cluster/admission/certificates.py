"""The webhook's certificate: read from the files of a Secret, and again when they change.

Every new connection gets what the files had last; connections that exist keep what they began with.
"""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, assert_never

import structlog

from agent.process.reloading import Reading, Reloaded, Reloading, ReloadRefused, digests_of
from agent.settings.admission import AdmissionSettings
from agent.settings.fault import ConfigError, SettingFault
from agent.telemetry import admission_metrics as metrics

_log = structlog.get_logger(__name__)

_RENEW: Final = "renew it: failctl admission certificate --help"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What connections are served with, and from when until when the certificate is valid."""

    context: ssl.SSLContext
    begins: datetime
    expires: datetime

    def invalid(self, now: datetime) -> str | None:
        """Why no client accepts the certificate now; ``None`` if it is valid."""
        if now >= self.expires:
            return f"the webhook's certificate expired at {self.expires.isoformat()}; {_RENEW}"
        if now < self.begins:
            return f"the webhook's certificate is not valid before {self.begins.isoformat()}; {_RENEW}"
        return None


class Certificates:
    """The credential in effect. Raises ConfigError where the files cannot be used at the start."""

    def __init__(self, settings: AdmissionSettings, *, clock: Callable[[], datetime], reload: timedelta) -> None:
        self._settings = settings
        self._clock = clock
        self._every = reload.total_seconds()
        self._refused: str | None = None
        reading = read_credential(settings)
        self._reloading = Reloading(reading, read=lambda: read_credential(settings), refusals=(ConfigError,))
        self._credential = reading.value
        metrics.CERTIFICATE_EXPIRES.set(reading.value.expires.timestamp())
        metrics.CERTIFICATE_REFUSED.set(0)

    @property
    def context(self) -> ssl.SSLContext:
        return self._credential.context

    def check(self) -> str | None:
        """Why no client accepts the certificate, for ``/readyz``. Called on the health server's threads.

        Changed files that cannot be used are no failure while the last ones are valid: not ready means not asked.
        """
        invalid = self._credential.invalid(self._clock())
        return invalid if invalid is None or self._refused is None else f"{invalid}; {self._refused}"

    async def run(self) -> None:
        """Read the files again when they change, until cancelled."""
        while True:
            await asyncio.sleep(self._every)
            self.take(await asyncio.to_thread(self._reloading.poll))

    def take(self, found: Reloaded[Credential] | ReloadRefused | None) -> None:
        match found:
            case Reloaded(value=credential):
                self._credential, self._refused = credential, None
                metrics.CERTIFICATE_EXPIRES.set(credential.expires.timestamp())
                metrics.CERTIFICATE_REFUSED.set(0)
                _log.info("the webhook's certificate was read again", expires=credential.expires.isoformat())
            case ReloadRefused(problem=problem):
                self._refused = problem
                metrics.CERTIFICATE_REFUSED.set(1)
                _log.error("the webhook's changed certificate cannot be used; the last one stays", faults=problem)
            case None:
                pass
            case _:
                assert_never(found)


def read_credential(settings: AdmissionSettings) -> Reading[Credential]:
    """Read the files. Raises ConfigError."""
    files = (settings.certificate_file, settings.key_file, settings.client_ca_file)
    seen = digests_of(file for file in files if file is not None)
    begins, expires = _validity(settings.certificate_file)
    return Reading(value=Credential(context=_context(settings), begins=begins, expires=expires), seen=seen)


def _validity(file: Path) -> tuple[datetime, datetime]:
    """From when until when all certificates of the file are valid."""
    from cryptography import x509  # noqa: PLC0415 - 8 MB that processes without a webhook do not need

    try:
        chain = x509.load_pem_x509_certificates(file.read_bytes())
    except OSError as error:
        raise _fault(file, "certificateFile", f"cannot be read: {error.strerror}; mount the Secret there") from error
    except ValueError as error:
        fix = "write the certificate in PEM, as tls.crt of a Secret has it"
        raise _fault(file, "certificateFile", f"has no certificate: {error}; {fix}") from error
    begins = max(certificate.not_valid_before_utc for certificate in chain)
    return begins, min(certificate.not_valid_after_utc for certificate in chain)


def _context(settings: AdmissionSettings) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    # A resumed session would skip the check of the client against an authority that was removed.
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0
    try:
        # With an empty password: without one OpenSSL asks for it on the terminal where the key has one.
        context.load_cert_chain(settings.certificate_file, settings.key_file, password="")
    except (OSError, ValueError) as error:
        fix = "write both files from one Secret, the key in PEM and without a password"
        raise _fault(settings.key_file, "keyFile", f"is no key of the certificate: {_said(error)}; {fix}") from error
    if settings.client_ca_file is not None:
        _trust(context, settings.client_ca_file)
    return context


def _trust(context: ssl.SSLContext, authorities: Path) -> None:
    """Have every client show a certificate of these authorities."""
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_verify_locations(authorities)
    except (OSError, ValueError) as error:
        fix = "write the certificates of the authorities in PEM"
        raise _fault(authorities, "clientCaFile", f"cannot be used: {_said(error)}; {fix}") from error


def _said(error: Exception) -> str:
    return getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)


def _fault(file: Path, setting: str, message: str) -> ConfigError:
    return ConfigError(SettingFault(place=str(file), path=f"admission.{setting}", message=message))
