"""A session of aiohttp with an API server, of which nothing is left when it ends."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from agent.kube.sockets import Sockets


@asynccontextmanager
async def session(
    tls: ssl.SSLContext, token: str | None = None, *, limit: int = 100, reuse: bool = True
) -> AsyncIterator[aiohttp.ClientSession]:
    """In the name of the owner of ``token``, over at most ``limit`` connections (0: any number) at a time.

    Without ``reuse`` each request has a connection of its own.
    """
    sockets = Sockets()
    connector = sockets.connector(limit=limit, tls=tls, reuse=reuse)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        async with aiohttp.ClientSession(connector=connector, headers=headers) as opened:
            yield opened
    finally:
        await sockets.close()
