import asyncio

import pytest

from agent.cluster.daemonset.failover import _cancel


async def watch() -> None:
    """Takes a moment to end, as a watch that closes its connection."""
    try:
        await asyncio.sleep(3600)
    finally:
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def started(number: int) -> list[asyncio.Task[None]]:
    watches = [asyncio.create_task(watch()) for _ in range(number)]
    await asyncio.sleep(0)
    return watches


async def test_whoever_waits_for_cancelled_watches_waits_until_they_have_ended() -> None:
    watches = await started(3)

    await _cancel(watches)

    assert all(task.cancelled() for task in watches)


async def test_whoever_is_cancelled_while_it_waits_ends_too() -> None:
    """A term that ended while it left a node went on, and its process watched for others without leading."""
    leaving = asyncio.create_task(_cancel(await started(2)))
    await asyncio.sleep(0)
    leaving.cancel()

    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_what_ended_a_watch_otherwise_is_raised() -> None:
    async def broken() -> None:
        raise ValueError("it broke")

    task = asyncio.create_task(broken())
    await asyncio.wait([task])

    with pytest.raises(ValueError, match="it broke"):
        await _cancel([task])
