"""The demo's folder, with the settings, rules, policy and data of every part where a person can read them."""

import fcntl
import os
import secrets
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from agent.demo.parts import Part
from agent.shipped import shipped

_MARK = ".failure-agent-demo"
CLUSTERS = ("gpu-east", "cpu-west")
NAMESPACES = {"gpu-east": "training", "cpu-west": "batch"}
"""The only namespace in which each cluster takes runs: a job runs where its namespace is."""

_POLICY = "retry-policy.yaml"
_SCRIPTS = ("user", "infra", "platform")
_GPU_SCRIPTS = {"gpu-east": ("gpu",)}
_MAX_RUNS = 200
_HOST = "127.0.0.1"
_PORTS = range(18_000, 28_000)
_ROOM = 64 * 1024
"""Bytes that must be free for the parts to go on."""


class FolderRefused(Exception):
    """The folder holds other files or a demo that still runs, or no store can be named in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """``scheduler_port`` and ``lookout_port`` are those of their APIs; with 0 each start takes another."""

    folder: Path
    scheduler_port: int = 0
    lookout_port: int = 0

    @property
    def store(self) -> Path:
        return self.folder / "store.db"

    @property
    def log(self) -> Path:
        """The event log that serves as the broker."""
        return self.folder / "event-log.db"

    @property
    def pids(self) -> Path:
        """``name pid`` of every part, a line each."""
        return self.folder / "pids"

    @property
    def store_url(self) -> str:
        """The store as ``--store`` takes it."""
        return f"sqlite:///{self.store}"

    @property
    def lookout_url(self) -> str:
        """The database of Lookout."""
        return f"sqlite:///{self.folder / 'lookout.db'}"

    @property
    def lookout_api(self) -> str:
        """Where Lookout answers."""
        return f"http://{_HOST}:{self.lookout_port}"

    def check_room(self) -> None:
        """Raise OSError, with the folder's name, if the disk is full: the parts would retry forever."""
        probe = self.folder / ".room"
        try:
            probe.write_bytes(bytes(_ROOM))
            probe.unlink()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.folder)) from error

    def record(self, cluster: str) -> Path:
        """The simulator's own record of the runs it ended."""
        return self.folder / cluster / "record.jsonl"

    @property
    def jobs(self) -> Path:
        """What was submitted, as a file that ``failctl submit`` takes."""
        return self.folder / "jobs.yaml"

    @property
    def scheduler_log(self) -> Path:
        return self._log("scheduler")

    @property
    def lookout_log(self) -> Path:
        return self._log("lookout")

    def simulator(self, cluster: str) -> Part:
        options = ["--cluster", cluster, "--namespace", NAMESPACES[cluster], "--record", str(self.record(cluster))]
        for path in scripts_of(cluster):
            options += ["--scripts", str(path)]
        name = f"simulator-{cluster}"
        return Part(name=name, arguments=("simulator", *options), log=self._log(name))

    def agent(self, cluster: str, *, url: str) -> Part:
        """The agent of one cluster, with that cluster's own rules."""
        rules = self.folder / cluster / "error-categories.yaml"
        shutil.copyfile(shipped(f"demo/{cluster}.yaml"), rules)
        settings = self._write(f"{cluster}/settings.yaml", _agent_settings(self, cluster, url=url, rules=rules))
        return Part(
            name=f"agent-{cluster}",
            arguments=("cluster", "--settings", str(settings)),
            log=self._log(f"agent-{cluster}"),
        )

    def scheduler(self) -> Part:
        """The scheduler side, with the demo's retry policy."""
        policy = self.folder / _POLICY
        shutil.copyfile(shipped(f"demo/{_POLICY}"), policy)
        settings = self._write("scheduler.yaml", _scheduler_settings(self, policy))
        return Part(name="scheduler", arguments=("scheduler", "--settings", str(settings)), log=self.scheduler_log)

    def lookout(self) -> Part:
        """The process that keeps every failure to be looked up, and forwards to the API of the scheduler."""
        settings = self._write("lookout.yaml", _lookout_settings(self))
        return Part(name="lookout", arguments=("lookout", "--settings", str(settings)), log=self.lookout_log)

    def _log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"

    def _write(self, name: str, settings: dict[str, Any]) -> Path:
        path = self.folder / name
        path.write_text(yaml.safe_dump(settings, sort_keys=False))
        return path


def scripts_of(cluster: str) -> tuple[Path, ...]:
    """The files of what a cluster's pods can play."""
    return tuple(shipped(f"simulator/{name}.yaml") for name in (*_SCRIPTS, *_GPU_SCRIPTS.get(cluster, ())))


@contextmanager
def demo_folder(folder: Path) -> Iterator[Layout]:
    """Give an empty folder for a demo, which no other one uses meanwhile. An earlier demo's is emptied first.

    Raises FolderRefused for a folder with anything else in it, or of a demo that still runs, or with a ``?`` in its
    name, and OSError.
    """
    folder = folder.resolve()
    if "?" in str(folder):
        # In the address of a store, a question mark begins the options.
        raise FolderRefused(f"{folder} has a question mark in its name; name another one with --dir")
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise FolderRefused(f"{folder} is not empty and not from an earlier demo; name another one with --dir")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _MARK).open("a+b") as mark:
        _take(mark, folder)
        _empty(folder)
        for name in ("logs", *CLUSTERS):
            (folder / name).mkdir()
        scheduler_port, lookout_port = _free_ports(2)
        yield Layout(folder=folder, scheduler_port=scheduler_port, lookout_port=lookout_port)


def _take(mark: BinaryIO, folder: Path) -> None:
    """Have the folder for this process as long as the mark is open. Raises FolderRefused while another has it."""
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        mark.seek(0)
        written = mark.read().decode("ascii", "replace").strip()
        owner = f" (process {written})" if written.isdigit() else ""
        raise FolderRefused(f"another demo is running in {folder}{owner}; name another one with --dir") from error
    mark.truncate(0)
    mark.write(f"{os.getpid()}\n".encode())
    mark.flush()


def _free_ports(number: int) -> Sequence[int]:
    """Ports that nobody listens on, and that the kernel gives to no connection meanwhile, as those above them."""
    free: set[int] = set()
    while len(free) < number:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((_HOST, port))
            free.add(port)
    return sorted(free)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != _MARK:
            entry.unlink()


def _agent_settings(layout: Layout, cluster: str, *, url: str, rules: Path) -> dict[str, Any]:
    """As in production, but with deadlines of a second: nobody waits five minutes for an image in a demo."""
    return {
        "cluster": cluster,
        "kube": {"url": url},
        "categories": str(rules),
        "broker": {"url": f"sqlite:///{layout.log}"},
        "subscriptions": ["scheduler", "lookout"],
        "spool": {"path": str(layout.folder / cluster / "spool.db")},
        "evidenceWait": "500ms",
        "deadlines": {"image": "1s", "config": "1s", "create": "1s", "initCrashLoop": "1s", "activeGrace": "1s"},
        "logTails": {"namespaces": [NAMESPACES[cluster]]},
        "run": {"namespaces": [NAMESPACES[cluster]], "maxRuns": _MAX_RUNS},
        "heartbeat": {"interval": "1s"},
        "health": {"port": 0},
        "log": {"format": "console"},
    }


def _scheduler_settings(layout: Layout, policy: Path) -> dict[str, Any]:
    return {
        "broker": {"url": f"sqlite:///{layout.log}"},
        "store": {"url": layout.store_url},
        "policies": [str(policy)],
        "scheduling": {"retryPolicy": {"enabled": True, "globalMaxRetries": 20, "defaultPolicyName": "demo"}},
        "runs": {"gracefulShutdown": "confirmed", "lostCluster": "wait", "gracePeriod": "5s", "interval": "200ms"},
        "api": {"port": layout.scheduler_port},  # the same after a restart: Lookout forwards to it
        "health": {"port": 0},
        "log": {"format": "console"},
    }


def _lookout_settings(layout: Layout) -> dict[str, Any]:
    return {
        "broker": {"url": f"sqlite:///{layout.log}"},
        "database": {"url": layout.lookout_url},
        "api": {"port": layout.lookout_port, "scheduler": f"{_HOST}:{layout.scheduler_port}"},
        "health": {"port": 0},
        "log": {"format": "console"},
    }
