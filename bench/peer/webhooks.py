"""A real API server that asks nobody, a webhook in Go, or an agent's, before it stores that a pod failed."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from agent.cluster.admission.server import PATH
from bench.peer import clusters
from bench.peer.clusters import NAMESPACE, Cluster
from bench.peer.line import Figures, until
from bench.peer.process import PeerProcess
from bench.peer.program import WEBHOOK, find_peer
from tests.cluster.admission.configuration import named
from tests.servers.audit import audited
from tests.servers.authority import Authority
from tests.servers.cache import Cache
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.credential import ClientCertificate
from tests.servers.ports import free_ports
from tests.servers.webhook_configuration import installed

_ROOT: Final = Path(__file__).parents[2]
_UNLIMITED: Final = 1_000_000_000


class Way(StrEnum):
    """Whom the API server asks."""

    WITHOUT = "without"
    EMPTY = "empty"
    MARKING = "marking"
    OURS = "ours"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """The API server, the agent that watches it, and where webhooks are."""

    plane: ControlPlane
    agent: PeerProcess
    authority: Path
    urls: Mapping[Way, str]

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways that there are, the agent's last."""
        return tuple(way for way in Way if way is Way.WITHOUT or way in self.urls)

    @property
    def cluster(self) -> Cluster:
        """The API server for those who write."""
        return Cluster(url=self.plane.url, tls=self.plane.tls(), token=self.plane.token, kube={})

    @contextmanager
    def asked(self, way: Way) -> Iterator[None]:
        """Have the API server ask in this way."""
        with ExitStack() as stack:
            if way is not Way.WITHOUT:
                stack.enter_context(
                    installed(
                        named("bench"), self.plane, url=self.urls[way], authority=self.authority, within=NAMESPACE
                    )
                )
            yield

    def until_agent(self, met: Callable[[Figures], bool]) -> Figures:
        """The agent's figures once they are met. Raises TimeoutError."""
        return until(self.agent, met)


@contextmanager
def started(folder: Path, cache: Cache) -> Iterator[Webhooks]:
    """All of them, until the context ends. Raises NoServer."""
    program, peer = clusters.prepared(cache), find_peer(WEBHOOK, cache)
    authority = Authority(folder / "keys")
    certificate = authority.issue("webhook")
    place, (port,) = folder / "kubernetes", free_ports(1)
    place.mkdir()
    urls = {Way.OURS: f"https://127.0.0.1:{port}{PATH}"}
    with ExitStack() as running:
        plane = running.enter_context(ControlPlane(program, place, options=Options(api_server=audited(place))))
        file = folder / "agent.yaml"
        file.write_text(json.dumps(_settings(folder, plane, certificate, port)), encoding="utf-8")
        arguments = ["-m", "bench.subject.agent", str(file)]
        agent = running.enter_context(PeerProcess(Path(sys.executable), arguments, folder=_ROOT))
        if peer is not None:
            keys = [str(certificate.certificate), str(certificate.key)]
            url = running.enter_context(PeerProcess(peer, keys)).answer()["url"]
            urls |= {Way.EMPTY: f"{url}/allow", Way.MARKING: f"{url}/mark"}
        yield Webhooks(plane=plane, agent=agent, authority=authority.certificate, urls=urls)


def _settings(folder: Path, plane: ControlPlane, certificate: ClientCertificate, port: int) -> dict[str, Any]:
    return {
        "cluster": "bench",
        "categories": str(_ROOT / "config" / "error-categories.yaml"),
        "kube": {"kubeconfig": str(plane.kubeconfig())},
        "broker": {"url": f"sqlite:///{folder}/log.db"},
        "spool": {"path": str(folder / "spool.db")},
        "log": {"level": "error"},
        "health": {"port": 0},
        "admission": {
            "port": port,
            "certificateFile": str(certificate.certificate),
            "keyFile": str(certificate.key),
            "brake": {"atMost": _UNLIMITED},
        },
    }
