"""The agent is killed at each step of a run; the next process and a scheduler that repeats itself do the rest."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from agent.core.failure import Failure
from agent.core.run_command import CreateRun
from agent.core.run_event import Confirmation, PodReference, RunCreated, RunPhase, RunStopped
from tests.cluster.living import Living, eventually, living
from tests.cluster.runs.commanding import TAKES_RUNS, Scheduler, create, ended_now, ready
from tests.cluster.runs.crashing import Crash, Once
from tests.cluster.runs.nodes import end_term, on_node, replica, two_nodes
from tests.simulator.api import PODS, Json
from tests.tables import table

pytestmark = pytest.mark.slow

ROWS = table(Path(__file__).with_name("crashes.yaml"))
REPEAT_SECONDS = 0.2
AT_ONCE = 9


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
    uids: set[str] = field(default_factory=set)

    async def go(self) -> None:
        pod = await self.ask(RunCreated, create())
        match self.way:
            case "is discarded":
                await self.until_gone(pod)
            case "is stopped":
                await self.start(pod)
                await self.ask(RunStopped, pod)
            case _:
                await self.start(pod)
                await self.scheduler.until(RunPhase.SUCCEEDED)

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
            self.scheduler.discard(pod)
            await asyncio.sleep(REPEAT_SECONDS)


async def die(row: dict[str, str], folder: Path, successor: str) -> None:
    """The run goes its way, with an agent that dies at the step of the row and one that takes over."""
    node = "n2" if successor == "mode daemonset" else "n1"
    async with living(folder) as life, kubelet(life, succeeds=row["way"] == "succeeds", node=node):
        scheduler = await Scheduler.of(life)
        going = asyncio.create_task(Way(scheduler, row["way"]).go())
        await SUCCESSORS[successor](life, row, going)
        check(row["way"], scheduler, started=len(life.simulation.ledger.containers))


async def the_only_one_dies(life: Living, row: dict[str, str], going: asyncio.Task[None], *, spool: str) -> None:
    crash = Crash(row["step"], at=row["at"])
    async with life.agent(parts=crash.parts, **TAKES_RUNS) as first:
        await crash.reached.wait()
        await first.kill()
    async with life.agent(**TAKES_RUNS, spool={"path": str(life.folder / f"{spool}.db")}):
        await until_over(life, row, going)


async def the_leader_dies(life: Living, row: dict[str, str], going: asyncio.Task[None]) -> None:
    crash = Crash(row["step"], at=row["at"])
    async with life.agent(parts=crash.parts, **replica(life, "a")) as first:
        await ready(first)
        async with life.agent(**replica(life, "b")):
            await crash.reached.wait()
            await first.kill()
            await end_term(life)
            await until_over(life, row, going)


async def one_of_two_nodes_dies(life: Living, row: dict[str, str], going: asyncio.Task[None]) -> None:
    """That of the elected process, or the one with the pod; its next process has an empty spool."""
    once = Once()
    crashes = [Crash(row["step"], at=row["at"], once=once) for _ in range(2)]
    async with two_nodes(life, *(crash.parts for crash in crashes)) as processes:
        reached = [asyncio.create_task(crash.reached.wait()) for crash in crashes]
        await asyncio.wait(reached, return_when=asyncio.FIRST_COMPLETED)
        dead = 0 if reached[0].done() else 1
        reached[1 - dead].cancel()
        await processes[dead].kill()
        await end_term(life)
        async with life.agent(**on_node(life, f"n{dead + 1}", spool="next")):
            await until_over(life, row, going)


SUCCESSORS: dict[str, Callable[[Living, dict[str, str], asyncio.Task[None]], Awaitable[None]]] = {
    "the same spool": partial(the_only_one_dies, spool="spool"),
    "an empty spool": partial(the_only_one_dies, spool="other"),
    "a standby": the_leader_dies,
    "mode daemonset": one_of_two_nodes_dies,
}


async def until_over(life: Living, row: dict[str, str], going: asyncio.Task[None]) -> None:
    await going
    if row["way"] != "is discarded":
        await eventually(lambda: _is_released(life))


def folder_of(parent: Path, name: str) -> Path:
    folder = parent / name.replace(": ", "-").replace(" ", "-")
    folder.mkdir()
    return folder


def check(way: str, scheduler: Scheduler, *, started: int) -> None:
    events = scheduler.of_run("r1")
    assert len({event.pod.uid for event in events}) == 1, "one pod"
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


@pytest.mark.parametrize("successor", SUCCESSORS)
@pytest.mark.parametrize("way", ["succeeds", "is stopped", "is discarded"])
async def test_an_agent_that_dies_loses_nothing_and_starts_nothing_twice(
    way: str, successor: str, tmp_path: Path
) -> None:
    slots = asyncio.Semaphore(AT_ONCE)

    async def found(row: dict[str, str]) -> str | None:
        name = f"{row['at']}: {row['step']}"
        try:
            async with slots, asyncio.timeout(30):
                await die(row, folder_of(tmp_path, name), successor)
        except (AssertionError, TimeoutError) as error:
            return f"{name}: {str(error) or 'does not end'}"
        return None

    findings = await asyncio.gather(*(found(row) for row in ROWS if row["way"] == way))
    assert [each for each in findings if each is not None] == []


async def _is_released(life: Living) -> bool:
    return not await life.is_held("armada-j1-0")
