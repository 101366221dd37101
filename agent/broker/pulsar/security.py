"""Tokens, certificates and authorities from files, which are read again for each connection and may be replaced."""

import ssl
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final

import certifi
import pulsar
import structlog

from agent.broker.port import BadAddress
from agent.settings.base import read_secret
from agent.settings.fault import ConfigError
from agent.settings.pulsar import PulsarSettings

_log = structlog.get_logger(__name__)


class TokenFile:
    """Returns the token in a file; the last good one while the file cannot be read."""

    def __init__(self, path: Path) -> None:
        """Raises BadAddress if the file has no token now."""
        self._path = path
        self._lock = Lock()
        try:
            self._last = read_secret(path)
        except ConfigError as error:
            raise BadAddress(f"broker.pulsar.tokenFile: {error}") from error

    def __call__(self) -> str:
        """The token. Must not raise: the library calls it on threads that an error would end."""
        with self._lock:
            try:
                self._last = read_secret(self._path)
            except ConfigError as error:
                _log.warning("the token file cannot be read; the last token is used", error=str(error))
            return self._last


def token_of(settings: PulsarSettings) -> Callable[[], str] | None:
    """The source of tokens, if settings name one. Raises BadAddress."""
    return None if settings.token_file is None else TokenFile(settings.token_file)


def authentication(settings: PulsarSettings) -> pulsar.Authentication | None:
    """Our credentials: the token, else the certificate, else none. Raises BadAddress."""
    if (token := token_of(settings)) is not None:
        return pulsar.AuthenticationToken(token)
    if settings.certificate_file is not None:
        return pulsar.AuthenticationTLS(str(settings.certificate_file), str(settings.key_file))
    return None


def authorities(settings: PulsarSettings) -> str:
    """The file of certificates we trust: the settings', else the system's, else certifi's."""
    if settings.ca_file is not None:
        return str(settings.ca_file)
    return ssl.get_default_verify_paths().cafile or certifi.where()


_FILES: Final = ("ca_file", "certificate_file", "key_file")


def check_files(settings: PulsarSettings) -> None:
    """Raise BadAddress, naming the setting, where a file that is named cannot be read."""
    for name in _FILES:
        path: Path | None = getattr(settings, name)
        if path is None:
            continue
        try:
            path.read_bytes()
        except OSError as error:
            setting = PulsarSettings.model_fields[name].alias
            raise BadAddress(f"broker.pulsar.{setting}: {path} cannot be read: {error.strerror}") from error
