"""A cluster to let pods fail in: a real API server where one is prepared, or the simulator."""

import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from bench.peer.process import PeerProcess
from tests.servers.availability import NotPrepared, Prepared, look
from tests.servers.cache import Cache
from tests.servers.catalogue import SERVERS
from tests.servers.control_plane import ControlPlane

_ROOT: Final = Path(__file__).parents[2]
NAMESPACE: Final = "default"


class Target(StrEnum):
    """Which kind of cluster."""

    APISERVER = "apiserver"
    SIMULATOR = "simulator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster: its address, our credentials, and the agent's ``kube`` settings for it."""

    url: str
    tls: ssl.SSLContext | None
    token: str
    kube: dict[str, str]


class NoServer(Exception):
    """The server asked for is not prepared; the text says what does that."""


def prepared(cache: Cache) -> Path:
    """The folder of the prepared control plane. Raises NoServer."""
    match look(SERVERS["kubernetes"], cache):
        case Prepared(folder):
            return folder
        case NotPrepared(why):
            raise NoServer(f"no real API server: {why}")


@contextmanager
def started(target: Target, *, folder: Path, cache: Cache) -> Iterator[Cluster]:
    """A cluster that ends with the context. Raises NoServer."""
    if target is Target.SIMULATOR:
        with PeerProcess(Path(sys.executable), ["-m", "agent.simulator"], folder=_ROOT) as simulator:
            url = simulator.answer()["url"]
            yield Cluster(url=url, tls=None, token="", kube={"url": url})
        return
    with ControlPlane(prepared(cache), folder / "kubernetes") as plane:
        kube = {"kubeconfig": str(plane.kubeconfig())}
        yield Cluster(url=plane.url, tls=plane.tls(), token=plane.token, kube=kube)
