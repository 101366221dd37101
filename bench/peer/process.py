"""A peer at work: a process that answers in lines of JSON."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class PeerFailed(Exception):
    """The peer ended, or never answered as it should."""


class PeerProcess:
    """One process of a built peer; killed on leaving ``with``."""

    def __init__(
        self,
        program: Path,
        arguments: Sequence[str],
        *,
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            cwd=folder,
            env=env,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def ask(self, question: str) -> Any:  # noqa: ANN401 - JSON
        """Send a line; the answer to it. Raises PeerFailed."""
        if self._process.stdin is None:
            raise PeerFailed("the peer takes no questions")
        self._process.stdin.write(f"{question}\n")
        return self.answer()

    def answer(self) -> Any:  # noqa: ANN401 - JSON
        """The next line it says. Raises PeerFailed."""
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if not line:
            raise PeerFailed(f"{self._process.args!r} ended with {self._process.wait()}")
        return json.loads(line)
