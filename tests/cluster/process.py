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
from typing import Any

import yaml

from agent.settings.cluster import ClusterSettings
from tests.small_disk import SmallDisk


def write_settings(settings: ClusterSettings, file: Path) -> Path:
    """The settings as a file, with their names as files spell them."""
    given = settings.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, include={"cluster", "kube", "categories", "broker", "spool"}
    )
    file.write_text(yaml.safe_dump({**given, "health": {"port": 0}, "evidenceWait": "100ms"}))
    return file


def environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("FAILURE_AGENT_")}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "agent", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        check=False,
    )


class AgentProcess:
    """One started agent; its log goes to a file."""

    def __init__(self, settings: Path, *, log: Path, disk: SmallDisk | None = None) -> None:
        self._log = log
        command = [sys.executable, "-W", "error", "-m", "agent", "cluster", "--settings", str(settings)]
        if disk is not None:
            command = disk.around(command)
        with log.open("wb") as out:
            self._process = subprocess.Popen(command, stderr=out, env=environment())

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]

    def port(self) -> int | None:
        return next((line["port"] for line in self.logged() if line["event"] == "health is served"), None)

    def ask(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port()}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def is_ready(self) -> bool:
        return self.port() is not None and self.ask("/readyz")[0] == 200

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self) -> int:
        return self._process.wait(60)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(60)
