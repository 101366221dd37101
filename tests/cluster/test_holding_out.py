"""What happens to the agent's disk and clock, and what the operator sees of it (docs/operations.md, failure modes)."""

import json
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from agent.cluster.spool.file import damaged_spools
from agent.process.server_clock import ServerClock
from tests.cluster.living import Living, Running, eventually, failed, living
from tests.cluster.process import AgentProcess, write_settings
from tests.small_disk import small_disk

pytestmark = pytest.mark.slow

HOUR = timedelta(hours=1)


def metric(name: str) -> float | None:
    return REGISTRY.get_sample_value(f"failure_agent_{name}")


async def fail(life: Living, names: Iterable[str], *, held: bool = True) -> None:
    for name in names:
        await life.create(name, held=held)
        await life.fail(name)


def in_effect(life: Living) -> list[str]:
    """The pods told of; an event told twice has one id and counts once."""
    return sorted({event.event_id: event.pod.name for event in life.events()}.values())


async def nobody_held(life: Living, names: Iterable[str]) -> bool:
    return not any([await life.is_held(name) for name in names])


def says_full(process: AgentProcess) -> bool:
    status, body = process.ask("/readyz")
    return status == 503 and "database or disk is full" in json.loads(body)["checks"]["spool"]["message"]


async def test_a_full_disk_is_said_and_all_is_reported_when_there_is_room(tmp_path: Path) -> None:
    disk = small_disk(tmp_path / "disk")
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(spool={"path": str(disk.folder / "spool.db")}), tmp_path / "s.yaml")
        process = AgentProcess(settings, log=tmp_path / "agent.log", disk=disk)
        names = ["a"]
        try:
            await eventually(process.is_ready)
            await fail(life, names)
            await eventually(lambda: nobody_held(life, names))
            disk.fill(process.pid)
            names += await fail_until_full(life, process)
            _, metrics = process.ask("/metrics")
            assert "failure_agent_spool_full 1.0" in metrics
            assert await life.is_held(names[-1])
            assert names[-1] not in in_effect(life)

            disk.empty(process.pid)

            await eventually(lambda: nobody_held(life, names))
            await eventually(process.is_ready)
        finally:
            process.kill()
        assert in_effect(life) == sorted(names)


async def fail_until_full(life: Living, process: AgentProcess) -> list[str]:
    names: list[str] = []
    while not says_full(process) or "failure_agent_spool_full 1.0" not in process.ask("/metrics")[1]:
        names.append(f"p{len(names):03}")
        await fail(life, names[-1:])
    return names


async def test_a_damaged_spool_is_moved_aside_and_what_is_still_there_is_reported_again(tmp_path: Path) -> None:
    spool = tmp_path / "spool.db"
    async with living(tmp_path) as life:
        async with life.agent():
            await fail(life, ["a"], held=False)
            await life.until_reported(1)
        await fail(life, ["b"])
        spoil(spool)
        async with life.agent() as running:
            await eventually(lambda: in_effect(life) == ["a", "b"])
            await eventually(lambda: nobody_held(life, ["b"]))
            await eventually(lambda: metric("damaged_spools") == 1)
            assert len(life.published()) == 3
            assert running.spool.check() is None
    assert len(damaged_spools(spool)) == 1


def spoil(spool: Path) -> None:
    content = bytearray(spool.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    spool.write_bytes(content)


async def test_an_old_spool_that_is_restored_loses_nothing(tmp_path: Path) -> None:
    spool, copy = tmp_path / "spool.db", tmp_path / "copy.db"
    async with living(tmp_path) as life:
        async with life.agent():
            await fail(life, ["a"])
            await life.until_reported(1)
        shutil.copy(spool, copy)
        async with life.agent():
            await fail(life, ["b", "gone"])
            await life.until_reported(3)
            await eventually(lambda: nobody_held(life, ["gone"]))
            await life.delete("gone")
        shutil.copy(copy, spool)
        async with life.agent():
            await fail(life, ["c"])
            await eventually(lambda: in_effect(life) == ["a", "b", "c", "gone"])
            await eventually(lambda: nobody_held(life, ["b", "c"]))


class SystemTime:
    """The system's clock, as somebody sets it."""

    def __init__(self) -> None:
        self.leapt = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.leapt


@pytest.mark.parametrize("leap", [HOUR, -HOUR], ids=["forward", "back"])
async def test_a_clock_that_leaps_an_hour_gives_up_no_pod_and_holds_up_no_failure(
    tmp_path: Path, leap: timedelta
) -> None:
    system = SystemTime()
    waiting = {"name": "main", "image": "i", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    async with living(tmp_path) as life, life.agent(clock=ServerClock(system=system), evidenceWait="500ms") as running:
        await life.create("pulls", held=False)
        await life.set_status("pulls", {"phase": "Pending", "containerStatuses": [waiting]})
        await fail(life, ["before"])
        await until_waiting(running, 1)

        system.leapt = leap

        await life.until_reported(1)
        await fail(life, ["after"])
        assert [name for name, *_ in await life.until_reported(2)] == ["after", "before"]
        await eventually(lambda: nobody_held(life, ["before", "after"]))
        await eventually(lambda: abs((metric("clock_offset_seconds") or 0.0) - leap.total_seconds()) < 60)

        await life.set_status("pulls", failed())
        reported = [event for event in life.events() if event.pod.name == "pulls"]
        await life.until_reported(3)
        assert [event.pod.name for event in reported] == []
        assert abs(life.events()[-1].observed_at - datetime.now(UTC)) < timedelta(minutes=2)


async def until_waiting(running: Running, count: int) -> None:
    waiting = running.agent.controller.diagnoser.queues()["late events"]
    await eventually(lambda: waiting() >= count)
