"""Who we are to the API server, and where it is."""

import asyncio
import hashlib
from pathlib import Path
from typing import Final

import yaml
from kubernetes.aio import config
from kubernetes.aio.client import Configuration

from agent.settings.kube import KubeSettings

_ODD_SHAPES: Final = (ValueError, TypeError, AttributeError, KeyError)
"""What the client's reader raises on a kubeconfig that is YAML and has another shape."""

_READ_AHEAD_BYTES: Final = 1 << 18
"""What a connection has ready at most, or twice as much; the client's own bound is 4 MB for each watch."""


class ConfigurationError(Exception):
    """The kubeconfig or the ServiceAccount could not be read; says why."""


class Credentials:
    """A client configuration that can be read again when the server no longer accepts it, or is no longer trusted.

    The in-cluster token is read anew every minute by the client itself; a kubeconfig's token or token file, exec
    plugin, OIDC login, client certificate and authority are read again by :meth:`reload`.
    """

    def __init__(self, settings: KubeSettings, configuration: Configuration) -> None:
        self._settings = settings
        self._reloading = asyncio.Lock()
        self.configuration = configuration
        self.generation = 0

    @classmethod
    async def load(cls, settings: KubeSettings) -> "Credentials":
        """Read the credentials. Raises ConfigurationError."""
        configuration = Configuration()
        await _fill(configuration, settings)
        return cls(settings, configuration)

    async def reload(self, *, refused: int) -> None:
        """Read the credentials again, unless that was done since generation ``refused`` was turned away.

        Raises ConfigurationError, and is as before then.
        """
        async with self._reloading:
            if self.generation == refused:
                configuration = Configuration()
                await _fill(configuration, self._settings)
                self.configuration = configuration
                self.generation += 1

    def tls(self) -> bytes:
        """A digest of what a TLS connection is made with, which is read once when a client is made of it."""
        digest = hashlib.sha256()
        for file in (self.configuration.ssl_ca_cert, self.configuration.cert_file, self.configuration.key_file):
            read = b"" if file is None else Path(file).read_bytes()
            digest.update(len(read).to_bytes(8))
            digest.update(read)
        return digest.digest()


async def _fill(configuration: Configuration, settings: KubeSettings) -> None:
    configuration.client_session_kwargs = {"read_bufsize": _READ_AHEAD_BYTES}
    if settings.url is not None:
        configuration.host = settings.url.rstrip("/")
        return
    try:
        if settings.in_cluster:
            config.load_incluster_config(client_configuration=configuration)
        else:
            await config.load_kube_config(
                config_file=None if settings.kubeconfig is None else str(settings.kubeconfig),
                context=settings.context,
                client_configuration=configuration,
                persist_config=False,
            )
    except (config.ConfigException, yaml.YAMLError, OSError, *_ODD_SHAPES) as error:
        raise ConfigurationError(f"the Kubernetes configuration cannot be used: {error}") from error
