"""The line a failure goes down: an agent, a broker and a scheduler with its store, as processes of their own."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select

from agent.broker.topics import events_topic
from agent.store.store import Store
from agent.store.tables.verdicts import table as verdict
from bench.peer import deciding
from bench.peer.clusters import Cluster
from bench.peer.places import Broker, Database, Places
from bench.peer.process import PeerProcess

CLUSTER: Final = "bench"
TOPIC: Final = events_topic(CLUSTER)
_ROOT: Final = Path(__file__).parents[2]
_POLL_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 120.0

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Both processes, to be asked for figures, and where they meet."""

    agent: PeerProcess
    scheduler: PeerProcess
    broker_url: str
    store_url: str

    def decided(self) -> int:
        """How many runs the store has a verdict on."""
        with Store.attach(self.store_url) as store, store.read() as connection:
            return connection.scalar(select(func.count()).select_from(verdict)) or 0


@contextmanager
def started(cluster: Cluster, places: Places, *, broker: Broker, database: Database, folder: Path) -> Iterator[Line]:
    """A line that ends with the context. Raises NotThere."""
    broker_url, store_url = places.broker(broker), places.store(database)
    agent_file = _write_settings(cluster, folder, broker_url)
    scheduler_file = deciding.write_settings(folder, broker=broker_url, store=store_url)
    with _subject("agent", agent_file) as agent, _subject("scheduler", scheduler_file) as scheduler:
        yield Line(agent=agent, scheduler=scheduler, broker_url=broker_url, store_url=store_url)


def until(peer: PeerProcess, met: Callable[[Figures], bool]) -> Figures:
    """The peer's figures once they are met. Raises TimeoutError."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not met(now := peer.ask("figures")):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not there after {_PATIENCE_SECONDS:.0f} s: {now}")
        time.sleep(_POLL_SECONDS)
    figures: Figures = now
    return figures


def _subject(name: str, settings: Path) -> PeerProcess:
    return PeerProcess(Path(sys.executable), ["-m", f"bench.subject.{name}", str(settings)], folder=_ROOT)


def _write_settings(cluster: Cluster, folder: Path, broker_url: str) -> Path:
    settings = {
        "cluster": CLUSTER,
        "categories": str(_ROOT / "config" / "error-categories.yaml"),
        "kube": cluster.kube,
        "broker": {"url": broker_url},
        "spool": {"path": str(folder / "spool.db")},
        "heartbeat": {"interval": "1s"},
        "log": {"level": "error"},
        "health": {"port": 0},
    }
    file = folder / "agent.yaml"
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file
