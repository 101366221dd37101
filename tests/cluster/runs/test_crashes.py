"""The agent is killed at each step of a run; the next process and a scheduler that repeats itself do the rest."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.living import Living, living
from tests.cluster.runs.commanding import TAKES_RUNS, Scheduler, ready
from tests.cluster.runs.crashing import Crash, Once
from tests.cluster.runs.nodes import end_term, on_unhurried_node, two_nodes, unhurried_replica
from tests.cluster.runs.ways import WAYS, Way, check, findings, kubelet
from tests.tables import table

pytestmark = pytest.mark.slow

ROWS = table(Path(__file__).with_name("crashes.yaml"))


async def die(row: dict[str, str], folder: Path, successor: str) -> None:
    """The run goes its way, with an agent that dies at the step of the row and one that takes over."""
    node = "n2" if successor == "mode daemonset" else "n1"
    async with living(folder) as life, kubelet(life, succeeds=row["way"] == "succeeds", node=node):
        scheduler = await Scheduler.of(life)
        await SUCCESSORS[successor](life, row, Way(scheduler, row["way"]))
        check(row["way"], scheduler, started=len(life.simulation.ledger.containers))


async def the_only_one_dies(life: Living, row: dict[str, str], way: Way, *, spool: str) -> None:
    going, crash = asyncio.create_task(way.go()), Crash(row["step"], at=row["at"])
    async with life.agent(parts=crash.parts, **TAKES_RUNS) as first:
        await crash.reached.wait()
        await first.kill()
    async with life.agent(**TAKES_RUNS, spool={"path": str(life.folder / f"{spool}.db")}):
        await going


async def the_leader_dies(life: Living, row: dict[str, str], way: Way) -> None:
    going, crash = asyncio.create_task(way.go()), Crash(row["step"], at=row["at"])
    async with life.agent(parts=crash.parts, **unhurried_replica(life, "a")) as first:
        await ready(first)
        async with life.agent(**unhurried_replica(life, "b")):
            await crash.reached.wait()
            await first.kill()
            await end_term(life)
            await going


async def one_of_two_nodes_dies(life: Living, row: dict[str, str], way: Way) -> None:
    """That of the elected process, or the one with the pod; its next process has an empty spool."""
    once = Once()
    crashes = [Crash(row["step"], at=row["at"], once=once) for _ in range(2)]
    async with two_nodes(life, *(crash.parts for crash in crashes), process=on_unhurried_node) as processes:
        going = asyncio.create_task(way.go())  # only now, so that both see every step of it
        reached = [asyncio.create_task(crash.reached.wait()) for crash in crashes]
        await asyncio.wait(reached, return_when=asyncio.FIRST_COMPLETED)
        dead = 0 if reached[0].done() else 1
        reached[1 - dead].cancel()
        await processes[dead].kill()
        await end_term(life)
        async with life.agent(**on_unhurried_node(life, f"n{dead + 1}", spool="next")):
            await going


SUCCESSORS: dict[str, Callable[[Living, dict[str, str], Way], Awaitable[None]]] = {
    "the same spool": partial(the_only_one_dies, spool="spool"),
    "an empty spool": partial(the_only_one_dies, spool="other"),
    "a standby": the_leader_dies,
    "mode daemonset": one_of_two_nodes_dies,
}


@pytest.mark.parametrize("successor", SUCCESSORS)
@pytest.mark.parametrize("way", WAYS)
async def test_an_agent_that_dies_loses_nothing_and_starts_nothing_twice(
    way: str, successor: str, tmp_path: Path
) -> None:
    rows = {f"{row['at']}: {row['step']}": row for row in ROWS if row["way"] == way}
    assert await findings(rows, lambda row, folder: die(row, folder, successor), tmp_path) == []
