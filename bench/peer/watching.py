"""The watch of a whole cluster: each contestant alone with an API server of its own, its figures as it gives them."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.peer.process import PeerProcess
from bench.server.template import RESTARTED_EVERY

_ROOT: Final = Path(__file__).parents[2]
_PYTHON: Final = Path(sys.executable)
_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """What it cost to receive all pods, and then the changes.

    ``stall_ms`` is the longest the event loop did not come round, ``busy_ms`` the longest it worked in one go: the
    first counts what the machine did beside it. Of peers neither is known.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    changes_per_s: float = 0.0
    stall_ms: float = 0.0
    busy_ms: float = 0.0


@contextmanager
def server(pods: int, *, streams: bool = True) -> Iterator[tuple[PeerProcess, str]]:
    """An API server with so many pods, which streams lists or does not, and its URL."""
    arguments = ["-m", "bench.server", "--pods", str(pods), *([] if streams else ["--no-streams"])]
    with PeerProcess(_PYTHON, arguments, folder=_ROOT) as running:
        yield running, running.answer()["url"]


def watch_ours(pods: int, changes: int, *, streams: bool = True) -> Watching:
    """``failure-agent cluster`` as it is: from the first list it asks for to all pods known, spooled and watched."""
    with TemporaryDirectory(prefix="bench-") as folder, server(pods, streams=streams) as (api, url):
        settings = Path(folder) / "settings.yaml"
        settings.write_text(_settings(url, folder), encoding="utf-8")
        with PeerProcess(_PYTHON, ["-m", "bench.subject.agent", str(settings)], folder=_ROOT) as agent:
            _until(api, "listed_at")
            begun = agent.ask("figures")
            asked = _until(api, "watched_at")
            while (synced := agent.ask("figures"))["spooled"] < len(range(0, pods, RESTARTED_EVERY)):
                time.sleep(_POLL_SECONDS)
            spooled_at = time.monotonic()
            began = time.monotonic()
            api.ask(f"update {changes}")
            while not (changed := agent.ask("figures"))["occurrences"].get("pod-failed"):
                time.sleep(_POLL_SECONDS)
            took = time.monotonic() - began
    return Watching(
        seconds=spooled_at - asked["listed_at"],
        cpu_seconds=synced["cpu_seconds"] - begun["cpu_seconds"],
        peak_mb=changed["peak_mb"],
        changes_per_s=changes / took,
        stall_ms=max(synced["stall_ms"], changed["stall_ms"]),
        busy_ms=max(synced["busy_ms"], changed["busy_ms"]),
    )


def watch_with_go(program: Path, pods: int, changes: int, *, streams: bool = True) -> Watching:
    """client-go's informer, by ``bench/go/informer``."""
    with server(pods, streams=streams) as (api, url), PeerProcess(program, [url, str(changes)]) as informer:
        synced = informer.answer()
        _until(api, "watched_at")
        began = time.monotonic()
        api.ask(f"update {changes}")
        changed = informer.answer()
        took = time.monotonic() - began
    return Watching(
        seconds=synced["seconds"],
        cpu_seconds=synced["cpu_seconds"],
        peak_mb=changed["peak_mb"],
        changes_per_s=changes / took,
    )


def watch_officially(pods: int) -> Watching:
    """The ``kubernetes`` package's informer; only until it has all pods."""
    with server(pods) as (_, url):
        return _watch_until_synced("bench.subject.official", url, str(pods))


def watch_with_reflector(pods: int, *, streams: bool = True) -> Watching:
    """Our reflector without the agent around it: no more than an informer does; only until it has all pods."""
    with server(pods, streams=streams) as (_, url):
        return _watch_until_synced("bench.subject.reflector", url)


def _watch_until_synced(subject: str, *arguments: str) -> Watching:
    with PeerProcess(_PYTHON, ["-m", subject, *arguments], folder=_ROOT) as watching:
        synced = watching.answer()
    return Watching(seconds=synced["seconds"], cpu_seconds=synced["cpu_seconds"], peak_mb=synced["peak_mb"])


def _until(api: PeerProcess, what: str) -> Any:  # noqa: ANN401 - JSON
    """The answer of the server about its requests, once it has this part of it."""
    while (asked := api.ask("asked"))[what] is None:
        time.sleep(_POLL_SECONDS)
    return asked


def _settings(url: str, folder: str) -> str:
    return "\n".join(
        (
            "cluster: bench",
            f"categories: {_ROOT / 'config' / 'error-categories.yaml'}",
            f"kube: {{url: '{url}'}}",
            f"broker: {{url: 'sqlite:///{folder}/log.db'}}",
            f"spool: {{path: '{folder}{os.sep}spool.db'}}",
            "evidenceWait: 0s",
            "log: {level: error}",
            "health: {port: 0}",
        )
    )
