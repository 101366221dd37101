"""A broker: Apache Pulsar standalone as one process on loopback."""

import shutil
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.child import STDOUT, Child
from tests.servers.client import Client
from tests.servers.leash import leashed
from tests.servers.ports import free_ports
from tests.servers.process import ServerProcess
from tests.servers.proxy import TcpProxy
from tests.servers.pulsar_admin import Admin
from tests.servers.pulsar_program import find_java
from tests.servers.pulsar_site import LOOPBACK, PulsarSite, command, forget_sessions, link_jars, settings

_UP_SECONDS: Final = 300.0
_STORES_SECONDS: Final = 45.0
_POLL_SECONDS: Final = 0.1


class BrokerEndedError(Exception):
    """A broker ended by itself. The text has the end of its log."""


class BrokerNotReadyError(Exception):
    """A broker runs and is not ready in time. The text has the end of its log."""


class PulsarBroker:
    """One broker in a folder of its own; ``program`` is the folder of the prepared server.

    Starts on entering ``with`` (2 to 5 s) and is gone after leaving it, its data too; its log stays. ``overrides``
    are settings of broker.conf that differ from ``standalone/standalone.conf``. To be used by the main thread
    (ServerProcess).
    """

    def __init__(self, program: Path, folder: Path, *, overrides: Mapping[str, str] | None = None) -> None:
        self._program: Final = program
        self._overrides: dict[str, str] = dict(overrides or {})
        port, web_port, tls_port, web_tls_port, back_port, proxy_port, bookie_port = free_ports(7)
        self.site: Final = PulsarSite(
            folder=folder,
            port=port,
            web_port=web_port,
            tls_port=tls_port,
            web_tls_port=web_tls_port,
            back_port=back_port,
            proxy_port=proxy_port,
            bookie_port=bookie_port,
        )
        self._process: ServerProcess | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def start(self, **overrides: str) -> None:
        """Start it on the data it has, with more ``overrides`` if there are, and wait until it stores messages.

        Raises BrokerEndedError, BrokerNotReadyError.
        """
        if self.lives():
            raise ValueError("the broker runs already")
        self._overrides |= overrides
        self._spawn()
        if not self._becomes_ready():
            words = self.process.last_words()
            self.kill()
            raise BrokerNotReadyError(f"Pulsar runs and is not ready:\n{words}")

    def kill(self) -> None:
        """``kill -9``; fine if it has ended. ``start`` or ``mend`` start it again, on the same ports and data."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """Have it end in its own way (SIGTERM), which takes 1 to 2 s."""
        self.process.end()

    def mend(self) -> None:
        """Start it if it has ended, resume it if it is paused, and wait until it stores messages."""
        if self.lives():
            self.process.resume()
            if self._becomes_ready():
                return
            self.kill()
        self.start()

    def remove(self) -> None:
        """Kill it and remove its data; the log stays. Fine if nothing runs."""
        self.kill()
        for data in (self.site.metadata, self.site.ledgers):
            shutil.rmtree(data, ignore_errors=True)

    def lives(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.lives()

    def complain_if_ended(self) -> None:
        """Raise BrokerEndedError, with the end of its log, if it has ended."""
        if not self.lives():
            raise BrokerEndedError(f"Pulsar ended:\n{self.process.last_words()}")

    @property
    def process(self) -> ServerProcess:
        """Its process; paused, connections stay and nothing answers."""
        if self._process is None:
            raise ValueError("the broker was never started")
        return self._process

    @property
    def url(self) -> str:
        """Where it takes clients."""
        return f"pulsar://{LOOPBACK}:{self.site.port}"

    @property
    def proxied_url(self) -> str:
        """Where it takes clients through ``network``."""
        return f"pulsar://{LOOPBACK}:{self.site.proxy_port}"

    def network(self) -> TcpProxy:
        """A network to it that can be broken, for ``with``: clients that start at ``proxied_url`` stay in it."""
        return TcpProxy(self.site.back_port, port=self.site.proxy_port)

    @property
    def admin_url(self) -> str:
        """Where its admin API answers."""
        return f"http://{LOOPBACK}:{self.site.web_port}"

    @property
    def admin(self) -> Admin:
        """Its operator, who may do everything."""
        return Admin(Client(url=self.admin_url, tls=None, token=None))

    def _spawn(self) -> None:
        self.site.folder.mkdir(parents=True, exist_ok=True)
        self.site.settings_file.write_text(settings(self.site, self._overrides), encoding="utf-8")
        link_jars(self.site, self._program)
        java, log = find_java(), self.site.folder / "broker.log"
        if self.site.metadata.exists():
            self._forget_sessions(java, log)
        self._process = ServerProcess(leashed(command(self.site, java=java, program=self._program)), log=log)

    def _forget_sessions(self, java: str, log: Path) -> None:
        forget = leashed(forget_sessions(self.site, java=java, program=self._program))
        with log.open("ab") as out, Child(forget, stdout=out, stderr=STDOUT) as forgetting:
            if (code := forgetting.wait()) != 0:
                raise BrokerEndedError(
                    f"the sessions of the killed broker cannot be ended, exit code {code}: see {log}"
                )

    def _becomes_ready(self) -> bool:
        """Wait for its first tenant, then for a message through broker and bookie: an open port is neither."""
        return self._grants("namespaces/public", _UP_SECONDS) and self._grants("brokers/health", _STORES_SECONDS)

    def _grants(self, path: str, seconds: float) -> bool:
        """Whether it grants this request before so many seconds are over."""
        deadline = time.monotonic() + seconds
        while not self._grants_now(path):
            self.complain_if_ended()
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def _grants_now(self, path: str) -> bool:
        try:
            return self.admin.client.ask("GET", f"/admin/v2/{path}", seconds=10).status < HTTPStatus.BAD_REQUEST
        except (OSError, HTTPException):
            return False
