"""The agent while its spool takes nothing: what the operator sees, and what becomes of pods."""

from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from prometheus_client import REGISTRY

from agent.broker.lazy import LazyBroker
from agent.cluster.process import Health
from agent.kube.finalizer import HOLD_LABEL
from tests.cluster.living import Living, Running, eventually, living

pytestmark = pytest.mark.slow

TINY: Final[Mapping[str, object]] = {"bounds": {"unspooled": 2}, "heartbeat": {"interval": "50ms"}}


def tiny(folder: Path, *, at_most: int = 2) -> dict[str, Any]:
    return {**TINY, "spool": {"path": str(folder / "spool.db"), "maxEvents": at_most, "commitAtMost": 1}}


def metric(name: str) -> float:
    return REGISTRY.get_sample_value(f"failure_agent_{name}") or 0.0


def spool_check(running: Running, life: Living) -> str:
    health = Health(LazyBroker.open(life.settings().broker))
    health.agent = running.agent
    return health.ready()["spool"]() or "well"


async def _not(answer: Awaitable[bool]) -> bool:
    return not await answer


async def fill(life: Living, running: Running, *, first: int = 0) -> list[str]:
    """Fail pods until the spool takes nothing and all that may wait in memory does; their names."""
    names: list[str] = []
    while running.agent.writer.problem is None or len(running.agent.controller.backlog) == 0:
        names.append(f"p{first + len(names):02}")
        await life.create(names[-1], held=False)
        await life.fail(names[-1])
    return names


async def test_a_full_spool_says_so_keeps_finalizers_and_loses_nothing(tmp_path: Path) -> None:
    backlogged = metric("backlogged_pods_total")
    async with living(tmp_path, log=False) as life, life.agent(**tiny(tmp_path)) as running:
        names = await fill(life, running)
        await life.create("held")
        await life.fail("held")
        await life.create("asks", held=False, labels={HOLD_LABEL: "true"})
        await eventually(lambda: life.is_held("asks"))
        await eventually(lambda: metric("backlog_pods") == len(running.agent.controller.backlog) > 0)

        assert metric("spool_full") == 1
        assert metric("spool_rows") == 2
        assert metric("backlogged_pods_total") > backlogged
        said = spool_check(running, life)
        assert "2 events wait for the broker, the most that may (spool.maxEvents)" in said
        assert "pods are held by uid until it does" in said
        assert await life.is_held("held")

        life.open_log()

        reported = await life.until_reported(len(names) + 1)
        assert reported == sorted((name, "pod-failed", "unknown") for name in (*names, "held"))
        await eventually(lambda: _not(life.is_held("held")))
        await eventually(lambda: metric("spool_full") == metric("backlog_pods") == 0)
        assert spool_check(running, life) == "well"
        await life.delete("asks")


async def test_pods_that_went_while_the_spool_was_full_are_missing_unless_they_had_succeeded(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life, life.agent(**tiny(tmp_path)) as running:
        await life.create("known", held=False)
        names = await fill(life, running)
        for name in ("known", "new"):
            if name == "new":
                await life.create(name, held=False)
            await life.fail(name, code=137, reason="OOMKilled")
            await life.delete(name, gracePeriodSeconds=0)
        await life.create("good", held=False)
        await life.set_status("good", {"phase": "Succeeded"})
        await life.delete("good", gracePeriodSeconds=0)
        await life.create("last", held=False)
        await life.fail("last")
        waiting = running.agent.controller.backlog
        await eventually(lambda: len(waiting) >= 4)

        life.open_log()

        reported = {name: occurrence for name, occurrence, _ in await life.until_reported(len(names) + 3)}
        assert reported == {**dict.fromkeys([*names, "last"], "pod-failed"), "known": "missing", "new": "missing"}


async def test_what_was_not_reconciled_when_the_process_ends_is_found_by_the_next(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life:
        async with life.agent(**tiny(tmp_path)) as running:
            names = await fill(life, running)
            await running.kill()
        life.open_log()
        async with life.agent(**tiny(tmp_path)):
            assert [name for name, *_ in await life.until_reported(len(names))] == names
