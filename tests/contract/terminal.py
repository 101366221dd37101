"""A terminal with kubectl, on a stage: what it prints and asks the API server is written down."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from agent.simulator.kubeconfig import write_kubeconfig
from tests.child import PIPE, Child
from tests.contract.relay import Relay, relaying
from tests.contract.stage import Stage
from tests.simulator.api import Json

_SECONDS: Final = 60.0
_AGE: Final = re.compile(r"(?<![\w.:-])\d+[smhdy](?:\d+[smhd])?(?= ago|[\s)]|$)")
_DATE: Final = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_VERSION: Final = re.compile(r"(?<=resourceVersion)(\W+)\d+")
_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_COLUMNS: Final = re.compile(r"(?<=\S) {2,}(?=\S)")


@dataclass(slots=True, kw_only=True)
class Terminal:
    """Runs kubectl in a folder, by a kubeconfig whose namespace is the stage's. ``ran`` is what was run."""

    stage: Stage
    program: Path
    folder: Path
    relay: Relay
    ran: list[Json] = field(default_factory=list)

    async def kubectl(self, *words: str) -> str:
        """Run a command to its end. Returns what it printed, errors last."""
        with self._start(*words) as process:
            out, err = await asyncio.to_thread(process.rest)
            self._note(words, process.wait(), out, err)
        return out + err

    async def kubectl_until(self, lines: int, *words: str, meanwhile: Callable[[], Awaitable[object]]) -> str:
        """Run a command that does not end until it has printed so many lines; ``meanwhile`` is done after the first."""
        with self._start(*words) as process:
            out = await asyncio.to_thread(process.line) + await asyncio.to_thread(process.line)
            async with asyncio.timeout(_SECONDS):
                await meanwhile()
            for _ in range(lines - 2):
                out += await asyncio.to_thread(process.line)
        self._note(words, None, out, "")
        return out

    def write(self, name: str, *documents: Json) -> str:
        """A file in the folder. Returns its name."""
        (self.folder / name).write_text("\n---\n".join(map(json.dumps, documents)), encoding="utf-8")
        return name

    def _start(self, *words: str) -> Child:
        environ = {"HOME": str(self.folder), "KUBECONFIG": str(self.folder / "kubeconfig"), "PATH": ""}
        return Child([self.program, *words], cwd=self.folder, env=environ, stdout=PIPE, stderr=PIPE)

    def _note(self, words: tuple[str, ...], code: int | None, out: str, err: str) -> None:
        asked, self.relay.asked = sorted(set(self.relay.asked), key=_without_uids), []
        self.ran.append(
            {
                "command": " ".join(("kubectl", *words)),
                "asked": asked,
                "code": code,
                "output": _lines(out),
                **({"errors": _lines(err)} if err else {}),
            }
        )


def _without_uids(asked: str) -> str:
    """A uid differs in each session, so it must not decide the order."""
    return _UID.sub("", asked)


def _lines(text: str) -> list[str]:
    """The lines of an output; columns are two blanks apart, however long the texts of a run are."""
    plain = _VERSION.sub(r"\1{version}", _TIME.sub("{time}", _DATE.sub("{date}", text)))
    return [_COLUMNS.sub("  ", _AGE.sub("{age}", line)).rstrip() for line in plain.splitlines()]


Session = Callable[[Terminal], Awaitable[None]]
"""What somebody does at a terminal, and may rely on. Its name is its transcript's."""


@asynccontextmanager
async def terminal(stage: Stage, program: Path, folder: Path) -> AsyncIterator[Terminal]:
    """A terminal whose kubectl is ``program``, in a folder that is empty."""
    async with relaying(stage.server) as relay:
        write_kubeconfig(folder / "kubeconfig", cluster="stage", url=relay.url)
        one = Terminal(stage=stage, program=program, folder=folder, relay=relay)
        await one.kubectl("config", "set-context", "--current", f"--namespace={stage.namespace}")
        one.ran.clear()
        yield one
