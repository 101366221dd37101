"""Who we are to the API server, and where it is."""

import asyncio
from typing import Final

import yaml
from kubernetes.aio import config
from kubernetes.aio.client import Configuration

from agent.settings.kube import KubeSettings

_ODD_SHAPES: Final = (ValueError, TypeError, AttributeError, KeyError)
"""What the client's reader raises on a kubeconfig that is YAML and has another shape."""


class ConfigurationError(Exception):
    """The kubeconfig or the ServiceAccount could not be read; says why."""


class Credentials:
    """A client configuration that can be read again when the server no longer accepts it.

    The in-cluster token is read anew every minute by the client itself; a kubeconfig's token, exec plugin or
    OIDC login is done again by :meth:`reload`.
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
        """Read the credentials again, unless that was done since generation ``refused`` was turned away."""
        async with self._reloading:
            if self.generation == refused:
                await _fill(self.configuration, self._settings)
                self.generation += 1


async def _fill(configuration: Configuration, settings: KubeSettings) -> None:
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
