"""The scheduler as a process of its own."""

import json
import os
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.child import Child
from tests.small_disk import SmallDisk

POLICY = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata:
  name: ml
spec:
  rules:
    - name: oom
      action: Retry
      retryLimit: 3
      onConditions: [OOMKilled]
"""


def write_settings(folder: Path, **changed: object) -> Path:
    (folder / "ml.yaml").write_text(POLICY)
    settings = {
        "broker": {"url": f"sqlite:///{folder}/log.db"},
        "store": {"url": f"sqlite:///{folder}/store.db"},
        "scheduling": {"retryPolicy": {"enabled": True, "defaultPolicyName": "ml"}},
        "policies": [str(folder / "ml.yaml")],
        "discover": "100ms",
        "api": {"port": 0},
        "health": {"port": 0},
        **changed,
    }
    file = folder / "settings.yaml"
    file.write_text(yaml.safe_dump(settings))
    return file


def command(settings: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "agent", "scheduler", "--settings", str(settings), *more]


def environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("FAILURE_AGENT_")}


class SchedulerProcess:
    """One started scheduler; its log goes to a file of its own."""

    words = staticmethod(command)
    """The command line for settings."""

    def __init__(self, settings: Path, *, log: Path, disk: SmallDisk | None = None) -> None:
        self._log = log
        self._port: int | None = None
        words = self.words(settings) if disk is None else disk.around(self.words(settings))
        with log.open("wb") as out:
            self._child = Child(words, stderr=out, env=environment())

    @property
    def pid(self) -> int:
        return self._child.pid

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

    def leads(self) -> bool:
        return any(line["event"] == "this scheduler is the leader now" for line in self.logged())

    def returned(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._child.returned()

    def terminate(self) -> int:
        self._child.send(signal.SIGTERM)
        return self._child.wait()

    def kill(self) -> None:
        self._child.kill()

    def end(self) -> None:
        self._child.end()
