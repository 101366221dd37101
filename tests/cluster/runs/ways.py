"""A run that goes its way whatever happens: a scheduler that repeats itself, a kubelet, and what must hold."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from agent.core.failure import Failure
from agent.core.run_command import CreateRun
from agent.core.run_event import Confirmation, PodReference, RunCreated, RunPhase, RunStopped
from tests.cluster.living import Living
from tests.cluster.runs.commanding import Scheduler, create, ended_now
from tests.simulator.api import PODS, Json

WAYS: Final = ("succeeds", "is stopped", "is discarded")
REPEAT_SECONDS: Final = 0.2
AT_ONCE: Final = 6
SECONDS: Final = 30
T = TypeVar("T")


@asynccontextmanager
async def kubelet(life: Living, *, succeeds: bool, node: str = "n1") -> AsyncIterator[None]:
    """Runs what has no gate on a node, and ends it: by itself, or when it is deleted."""

    async def play() -> None:
        while True:
            for found in (await life.api.get(PODS))["items"]:
                await step(found)
            await asyncio.sleep(0.02)

    async def step(found: Json) -> None:
        name, phase = found["metadata"]["name"], found["status"]["phase"]
        deleted = found["metadata"].get("deletionGracePeriodSeconds")
        if not found["spec"].get("schedulingGates") and not found["spec"].get("nodeName"):
            if deleted is None:
                pod = PodReference(namespace="default", name=name, uid="")
                await Scheduler(life=life, cluster_id="").bound(pod, node=node)
        elif phase == "Running" and deleted is not None:
            await life.set_status(name, ended_now(143))
        elif phase == "Running" and succeeds:
            await life.set_status(name, ended_now(0))
        elif phase in {"Failed", "Succeeded"} and deleted:
            await life.api.ask("DELETE", f"{PODS}/{name}", gracePeriodSeconds=0)

    playing = asyncio.create_task(play())
    try:
        yield
        assert not playing.done(), playing.exception()
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


@dataclass
class Way:
    """A scheduler without a store that wants one run to go this way, and asks again until it has its answer."""

    scheduler: Scheduler
    way: str

    async def go(self) -> None:
        """Until the run has gone its way and our finalizer is off."""
        pod = await self.ask(RunCreated, create())
        match self.way:
            case "is discarded":
                await self.until_gone(pod)
            case "is stopped":
                await self.start(pod)
                await self.ask(RunStopped, pod)
                await self.until_released()
            case _:
                await self.start(pod)
                await self.scheduler.until(RunPhase.SUCCEEDED)
                await self.until_released()

    async def start(self, pod: PodReference) -> None:
        while not self.scheduler.of_run("r1", RunPhase):
            self.scheduler.start(pod)
            await asyncio.sleep(REPEAT_SECONDS)
        await self.scheduler.until(RunPhase.RUNNING, RunPhase.SUCCEEDED)

    async def ask(self, kind: type, asked: PodReference | CreateRun) -> PodReference:
        while not (told := self.scheduler.of_run("r1", kind)):
            if isinstance(asked, PodReference):
                self.scheduler.stop(asked)
            else:
                self.scheduler.send(asked)
            await asyncio.sleep(REPEAT_SECONDS)
        return told[0].pod

    async def until_gone(self, pod: PodReference) -> None:
        while await self.scheduler.life.exists(pod.name):
            self.discard_all(but="")
            await asyncio.sleep(REPEAT_SECONDS)

    async def until_released(self) -> None:
        """Wait until our finalizer is off, and have pods discarded that a late create made."""
        (accepted, *_) = self.scheduler.of_run("r1", RunPhase)
        while await self.scheduler.life.is_held(accepted.pod.name):
            self.discard_all(but=accepted.pod.uid)
            await asyncio.sleep(REPEAT_SECONDS)

    def discard_all(self, *, but: str) -> None:
        for uid, event in {event.pod.uid: event for event in self.scheduler.of_run("r1", RunCreated)}.items():
            if uid != but:
                self.scheduler.discard(event.pod)


def check(way: str, scheduler: Scheduler, *, started: int) -> None:
    events = scheduler.of_run("r1")
    late = {event.pod.uid for event in events if isinstance(event.event, RunCreated)}
    others = {event.pod.uid for event in events if event.pod.uid and not isinstance(event.event, RunCreated)}
    assert len(others) <= 1, "nothing is reported of the pods of late creates"
    assert others <= late
    assert started == (0 if way == "is discarded" else 1), "started once"
    assert scheduler.dead_letters() == []
    if way == "succeeds":
        successes = {event.event_id: event.confirmed for event in events if event.event is RunPhase.SUCCEEDED}
        assert list(successes.values()) == [Confirmation.CONTAINERS], "another spool may report it again, as the same"
        assert not any(isinstance(event.event, Failure) for event in events)
    if way == "is discarded":
        assert not any(isinstance(event.event, Failure | RunStopped) for event in events), "nobody waits for its end"
    if way == "is stopped":
        assert Confirmation.CONTAINERS in [event.confirmed for event in scheduler.of_run("r1", RunStopped, Failure)]
        assert RunPhase.SUCCEEDED not in [event.event for event in events]


async def findings(rows: Mapping[str, T], go: Callable[[T, Path], Awaitable[None]], parent: Path) -> list[str]:
    """What goes wrong in which of these rows, by name; a few go at once, each in a folder of its own."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def found(number: int, name: str) -> str | None:
        folder = parent / str(number)
        folder.mkdir()
        try:
            async with slots, asyncio.timeout(SECONDS):
                await go(rows[name], folder)
        except (AssertionError, TimeoutError) as error:
            return f"{name}: {str(error) or 'does not end'}"
        return None

    every = await asyncio.gather(*(found(number, name) for number, name in enumerate(rows)))
    return [finding for finding in every if finding is not None]
