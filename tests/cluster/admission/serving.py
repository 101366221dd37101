"""The webhook's server in the loop of a test, with a decider that the test scripts, and clients for it."""

import asyncio
import io
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import aiohttp

from agent.cluster.admission.review import Answer, Review
from agent.cluster.admission.server import PATH, AdmissionServer
from agent.core.admission.conditions import PodCondition
from agent.settings.admission import AdmissionSettings
from tests.cluster.admission.patience import PATIENT
from tests.servers.authority import Authority
from tests.servers.credential import ClientCertificate
from tests.volume import Volume

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
LOST: Final = PodCondition(type="failure-agent.dev/Infrastructure", reason="gpu", message="GPU is lost")


def always_lost(_: Review) -> Answer:
    return (LOST,)


def head(length: int | str, path: str = "/conditions") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


@dataclass(kw_only=True)
class Scripted:
    """A decider that answers by a function, and keeps the names of the pods that it was asked about."""

    script: Callable[[Review], Answer] = always_lost

    def __post_init__(self) -> None:
        self.asked: list[str | None] = []

    def answer(self, review: Review) -> Answer:
        self.asked.append(review.new.metadata.name)
        return self.script(review)


@dataclass(frozen=True, kw_only=True)
class Served:
    """A server that runs, and the authority that its clients trust."""

    server: AdmissionServer
    authority: Authority

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.server.port}{PATH}"

    def trusting(self, client: ClientCertificate | None = None) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        if client is not None:
            context.load_cert_chain(client.certificate, client.key)
        return context

    async def post(self, body: bytes, **headers: str) -> tuple[int, bytes]:
        """Send a body over a connection of its own; status and body of the answer."""
        async with aiohttp.ClientSession() as session:
            kind = {"Content-Type": "application/json", **headers}
            async with session.post(self.url, data=io.BytesIO(body), headers=kind, ssl=self.trusting()) as response:
                return response.status, await response.read()

    async def dial(self) -> Streams:
        """Connect without TLS."""
        return await asyncio.open_connection("127.0.0.1", self.server.port)

    async def connect(self, client: ClientCertificate | None = None) -> Streams:
        host, trusted = "127.0.0.1", self.trusting(client)
        return await asyncio.open_connection(host, self.server.port, ssl=trusted, server_hostname=host)


@dataclass(frozen=True, kw_only=True)
class Renewed(Served):
    """A server whose certificate may change: it is in the Secret."""

    secret: Volume

    def renew(self, *, lasts: timedelta = timedelta(days=1)) -> None:
        """Replace the certificate and its key."""
        self.secret.show(issued(self.authority, lasts=lasts))


def issued(authority: Authority, *, lasts: timedelta) -> Mapping[str, bytes]:
    """A new certificate and its key, by the names that they have in the Secret."""
    made = authority.issue("webhook", lasts=lasts)
    return {file.name: file.read_bytes() for file in (made.certificate, made.key)}


@asynccontextmanager
async def served(
    folder: Path,
    decider: Scripted,
    *,
    lasts: timedelta = timedelta(days=1),
    deadline: timedelta = PATIENT,
    client_ca: Path | None = None,
) -> AsyncIterator[Renewed]:
    """A server on loopback with its certificate in ``folder / "secret"``, until the context ends."""
    authority, secret = Authority(folder), Volume(folder / "secret")
    secret.show(issued(authority, lasts=lasts))
    settings = AdmissionSettings(
        port=0,
        certificate_file=secret.folder / "webhook.crt",
        key_file=secret.folder / "webhook.key",
        client_ca_file=client_ca,
        deadline=deadline,
    )
    server = AdmissionServer(settings, decider, clock=lambda: datetime.now(UTC), reload=timedelta(milliseconds=20))
    running = asyncio.create_task(server.run())
    try:
        yield Renewed(server=server, secret=secret, authority=authority)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
