"""A scheduler of some revision as an operator starts it, with a failed job in its store."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from agent.broker.port import Message
from bench.peer.deciding import write_settings
from bench.peer.revision import Revision
from bench.peer.topic import publish

_CONSUMED: Final = "failure_agent_consumed_total{"
_PATIENCE_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.1
Found = TypeVar("Found")


class SchedulerFailed(Exception):
    """It ended, or did not consume the failure; the text has the last line of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """A scheduler: the address of its store, and that of its API."""

    store_url: str
    address: str


@contextmanager
def started(revision: Revision, failure: Message, *, folder: Path) -> Iterator[Scheduler]:
    """A scheduler that has consumed a failure; it ends with the context. Raises SchedulerFailed."""
    broker_url, store_url = f"sqlite:///{folder}/log.db", f"sqlite:///{folder}/store.db"
    settings = write_settings(folder, broker=broker_url, store=store_url, level="info")
    publish(broker_url, [failure])
    command = [sys.executable, "-m", "agent", "scheduler", "--settings", str(settings)]
    log = folder / "scheduler.log"
    with (
        log.open("wb") as out,
        subprocess.Popen(command, env=revision.environment(folder), cwd=folder, stdout=out, stderr=out) as process,
    ):
        try:
            health = _until(partial(_port, log, "health is served"), process, log)
            _until(partial(_consumed, health), process, log)
            api = _until(partial(_port, log, "the API is served"), process, log)
            yield Scheduler(store_url=store_url, address=f"127.0.0.1:{api}")
        finally:
            process.kill()


def _until(look: Callable[[], Found | None], process: subprocess.Popen[bytes], log: Path) -> Found:
    """Look until there is a result, and return it. Raises SchedulerFailed."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (found := look()) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            raise SchedulerFailed(log.read_text(encoding="utf-8").strip().rpartition("\n")[2])
        time.sleep(_POLL_SECONDS)
    return found


def _port(log: Path, event: str) -> int | None:
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").split("\n")[:-1] if line.startswith("{")]
    return next((line["port"] for line in lines if line["event"] == event), None)


def _consumed(port: int) -> float | None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(_CONSUMED)) or None
