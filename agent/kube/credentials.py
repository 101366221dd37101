"""Where the API server is, and with which credentials to talk to it."""

import asyncio
import hashlib
from pathlib import Path
from typing import Final

from kubernetes.aio import config
from kubernetes.aio.client import Configuration

from agent.kube.kubeconfig import KubeconfigError, read_kubeconfig
from agent.settings.kube import KubeSettings

_WRONG_SHAPE_ERRORS: Final = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
"""What the client's loader raises for a kubeconfig that is valid YAML but has the wrong shape."""

_READ_AHEAD_BYTES: Final = 1 << 18
"""aiohttp buffers at most twice this for each connection; the client's default would be 4 MB for each watch."""


class ConfigurationError(Exception):
    """The kubeconfig or the ServiceAccount could not be read; the text says why."""


class Credentials:
    """A client configuration that can be read again when the server no longer accepts it, or is no longer trusted.

    The client itself reads the in-cluster token again every minute. :meth:`reload` is for everything else: a
    kubeconfig's token or token file, exec plugin, OIDC login, client certificate and authority. ``generation`` counts
    the reloads.
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
        """Read the credentials again, unless that already happened since generation ``refused`` was rejected.

        Many requests may fail at once, and an exec plugin should run once for all of them. Raises ConfigurationError;
        the credentials then stay as they were.
        """
        async with self._reloading:
            if self.generation == refused:
                configuration = Configuration()
                await _fill(configuration, self._settings)
                self.configuration = configuration
                self.generation += 1

    def tls(self) -> bytes:
        """A digest of the TLS files. The client reads them only when it is made, so a new digest needs a new client."""
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
            await config.load_kube_config_from_dict(
                read_kubeconfig(settings.kubeconfig, context=settings.context),
                context=settings.context,
                client_configuration=configuration,
            )
    except KubeconfigError as error:
        raise ConfigurationError(str(error)) from error
    except (config.ConfigException, OSError, *_WRONG_SHAPE_ERRORS) as error:
        raise ConfigurationError(f"the configuration for the Kubernetes API cannot be used: {error}") from error
