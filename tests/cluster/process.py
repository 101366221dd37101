"""The agent as a process of its own."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from agent.settings.cluster import ClusterSettings
from tests import child
from tests.child import Child
from tests.small_disk import SmallDisk

_WRITTEN = {"cluster", "kube", "categories", "broker", "spool", "mode", "node", "lease", "run"}


def write_settings(settings: ClusterSettings, file: Path) -> Path:
    """The settings as a file, with their names as files spell them."""
    given = settings.model_dump(mode="json", by_alias=True, exclude_defaults=True, include=_WRITTEN)
    file.write_text(yaml.safe_dump({**given, "health": {"port": 0}, "evidenceWait": "100ms"}))
    return file


def environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("FAILURE_AGENT_")}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, to its end."""
    return child.run([sys.executable, "-m", "agent", *arguments], env=environment())


class AgentProcess:
    """One started agent; its log goes to a file. ``program``: a module that is one."""

    def __init__(
        self,
        settings: Path,
        *,
        log: Path,
        disk: SmallDisk | None = None,
        variables: Mapping[str, str] | None = None,
        command: str = "cluster",
        program: str = "agent",
    ) -> None:
        self._log = log
        self._port: int | None = None
        words = [sys.executable, "-W", "error", "-m", program, command, "--settings", str(settings)]
        if disk is not None:
            words = disk.around(words)
        with log.open("wb") as out:
            self._child = Child(words, stderr=out, env={**environment(), **(variables or {})})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]

    def port(self) -> int | None:
        """Where it answers, once its log says so; the log is long when it is asked often."""
        if self._port is None:
            self._port = next((line["port"] for line in self.logged() if line["event"] == "health is served"), None)
        return self._port

    def ask(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port()}{path}", timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def is_ready(self) -> bool:
        return self.port() is not None and self.ask("/readyz")[0] == 200

    @property
    def pid(self) -> int:
        return self._child.pid

    def signal(self, number: signal.Signals) -> None:
        self._child.send(number)

    def returned(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._child.returned()

    def has_ended(self) -> bool:
        return self.returned() is not None

    def wait(self) -> int:
        return self._child.wait()

    def kill(self) -> None:
        """``kill -9``, and wait until it is gone; fine if it is already."""
        self._child.end()
