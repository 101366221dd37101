"""``python -m tests.ground.trip``: the way of one failing pod through the agent, in files and hops.

The agent runs as it ships, against the simulator. A profile follows one pod from the line of the watch that says it
failed to the commit of its report: which files of ours are entered, and how many different calls go from one of them to
another. What other tasks do meanwhile is left out. ``test_trip.py`` bounds the way in the rooms that do something
(``kube``, ``cluster``, ``process``); what the pure rooms compute is only printed.
"""

import asyncio
import json
import logging
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

import structlog

import agent
from agent.kube.finalizer import FINALIZER
from tests.cluster.living import Living, Running, eventually, living
from tests.simulator.api import PODS, pod

FIRST: Final = "kube/reflector/reflector.py Reflector._handle_line"
"""The line of the watch is handed to the codec."""

LAST: Final = "cluster/spool/spool.py Spool.commit"
"""The writer of the spool hands the report over, on a thread."""

WRITER: Final = "cluster/spool/writer.py SpoolWriter.run"
BOUNDED: Final = frozenset({"kube", "cluster", "process"})
_OURS: Final = f"{Path(agent.__file__).parent}/"
_REASON: Final = "OOMKilled"
_NODE: Final = "n1"
_RUNNING: Final[dict[str, Any]] = {
    "phase": "Running",
    "containerStatuses": [{"name": "main", "image": "i", "ready": True, "state": {"running": {}}}],
}


@dataclass(frozen=True, slots=True)
class Call:
    """A function of ours was entered. ``caller`` is the file it was called from, by way of whatever is not ours."""

    file: str
    function: str
    caller: str

    @property
    def is_hop(self) -> bool:
        return self.file != self.caller

    def __str__(self) -> str:
        return f"{self.file} {self.function}"


@dataclass(slots=True)
class Trip:
    """The calls between the first and the last, these included; recorded by ``see``, which is a profile function."""

    calls: list[Call] = field(default_factory=list)
    _root: FrameType | None = None
    _seen: set[FrameType] = field(default_factory=set)
    _ended: bool = False

    def see(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or self._ended or not _is_ours(frame):
            return
        name = _name(frame)
        if self._root is None:
            self._begin(frame, name)
        elif frame not in self._seen and self._is_on_the_way(frame, name):  # a coroutine that goes on is no new call
            self._seen.add(frame)
            below = next(_ours_below(frame), None)
            self._add(frame, caller=_file(below) if below is not None else WRITER.partition(" ")[0])
            self._ended = name == LAST

    def _begin(self, frame: FrameType, name: str) -> None:
        if name == FIRST and _REASON.encode() in frame.f_locals["line"]:
            self._root = frame
            self._seen.add(frame)
            self._add(frame, caller=_file(frame))

    def _is_on_the_way(self, frame: FrameType, name: str) -> bool:
        return name == LAST or any(each is self._root or _name(each) == WRITER for each in _ours_below(frame))

    def _add(self, frame: FrameType, *, caller: str) -> None:
        self.calls.append(Call(_file(frame), frame.f_code.co_qualname, caller))

    def faults(self) -> list[str]:
        """What the profile lacks."""
        found = {str(call) for call in self.calls}
        return [f"the profile has no call of {name}" for name in (FIRST, LAST) if name not in found]

    def figures(self) -> dict[str, int]:
        """Files, and different hops: how often a clock is looked at depends on how busy the machine is."""
        bounded = [call for call in self.calls if _room(call.file) in BOUNDED]
        return {
            "files": len({call.file for call in bounded}),
            "hops": len({call for call in bounded if call.is_hop and _room(call.caller) in BOUNDED}),
            "all_files": len({call.file for call in self.calls}),
            "all_hops": len({call for call in self.calls if call.is_hop}),
        }

    def text(self) -> str:
        """The hops in their order, and the figures."""
        hops = [f"{call.caller} -> {call}" for call in self.calls if call.is_hop]
        figures = [f"{name}: {number}" for name, number in self.figures().items()]
        return "\n".join((f"first: {self.calls[0]}", *hops, f"last: {self.calls[-1]}", *figures))


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OURS)


def _ours_below(frame: FrameType) -> Iterator[FrameType]:
    below = frame.f_back
    while below is not None:
        if _is_ours(below):
            yield below
        below = below.f_back


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename.removeprefix(_OURS)


def _name(frame: FrameType) -> str:
    return f"{_file(frame)} {frame.f_code.co_qualname}"


def _room(file: str) -> str:
    return file.partition("/")[0]


async def follow(folder: Path) -> Trip:
    """Let two pods fail, and follow the second: what is computed once is computed by then."""
    trip = Trip()
    async with living(folder) as life:
        threading.setprofile(trip.see)  # before the agent starts: its threads must be seen too
        try:
            await life.api.create("/api/v1/nodes", {"metadata": {"name": _NODE}})
            async with life.agent() as running:
                await _run(life, running, "a")
                await life.fail("a")
                await life.until_reported(1)
                await _run(life, running, "b")
                sys.setprofile(trip.see)
                await life.fail("b", code=137, reason=_REASON)
                await life.until_reported(2)
                sys.setprofile(None)
        finally:
            threading.setprofile(None)
    return trip


async def _run(life: Living, running: Running, name: str) -> None:
    """Make a pod, and wait until the agent has on disk that it runs."""
    labels = {"armada_job_id": "job", "armada_job_run_id": name}
    made = await life.api.create(PODS, pod(name, node=_NODE, labels=labels, finalizers=[FINALIZER]))
    await life.set_status(name, _RUNNING)
    uid = made["metadata"]["uid"]
    await eventually(lambda: any(b'"Running"' in each.entry for each in running.spool.known() if each.uid == uid))
    await running.agent.writer.drained()


def main() -> str | None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as folder:
        trip = asyncio.run(follow(Path(folder)))
    if faults := trip.faults():
        return "\n".join(faults)
    sys.stdout.write(f"{json.dumps(trip.figures()) if '--json' in sys.argv[1:] else trip.text()}\n")
    return None


if __name__ == "__main__":
    sys.exit(main())
