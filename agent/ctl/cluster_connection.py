"""A connection to the API server for a command, with the user's kubeconfig."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from pydantic import ValidationError

from agent.console.exits import UnreachableError, UsageError
from agent.ctl.destination import ApiServerAddress
from agent.kube.codec import Unreadable
from agent.kube.connection import Connection
from agent.kube.credentials import ConfigurationError
from agent.kube.errors import ApiError, Unreachable
from agent.settings.kube import KubeSettings
from agent.settings.wording import wording

T = TypeVar("T")


def with_connection(where: ApiServerAddress, work: Callable[[Connection], Awaitable[T]], *, gives: str) -> T:
    """Do some work on a connection; ``gives`` names the result in the message if the request fails.

    Raises UsageError if the kubeconfig cannot be used, and UnreachableError if the server does not respond or refuses.
    """
    try:
        # not with `load`, which takes text: the name of a file may have bytes that are not text
        settings = KubeSettings(kubeconfig=where.kubeconfig, context=where.context, url=where.url)
    except ValidationError as error:
        raise UsageError(f"command line: {wording(KubeSettings, (), error.errors()[0])}") from error
    try:
        return asyncio.run(_connected(settings, work))
    except ConfigurationError as error:
        raise UsageError(str(error)) from error
    except (ApiError, Unreachable, Unreadable, msgspec.DecodeError) as error:
        raise UnreachableError(f"the API server gives no {gives}: {error}") from error


async def _connected(settings: KubeSettings, work: Callable[[Connection], Awaitable[T]]) -> T:
    async with await Connection.open(settings) as connection:
        return await work(connection)
