import asyncio
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.run_event import PodReference
from agent.kube.errors import ApiError, Unreachable
from tests.cluster.living import eventually

START = datetime(2026, 11, 21, tzinfo=UTC)


def reference(uid: str) -> PodReference:
    return PodReference(namespace="default", name=uid, uid=uid)


class Server:
    """Does the action unless it is to refuse; every pod needs it that is not in ``needless``."""

    def __init__(self) -> None:
        self.now = START
        self.jitter = 0.5
        self.done: list[str] = []
        self.refusals: dict[str, list[Exception]] = {}
        self.needless: set[str] = set()
        self.at_once = 0
        self.most_at_once = 0
        self.queue = PodWorkqueue(
            "do", self.select, self.do, clock=lambda: self.now, at_once=3, jitter=lambda: self.jitter
        )

    async def select(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        return {uid: reference(uid) for uid in sorted(uids) if uid not in self.needless}

    async def do(self, pod: PodReference) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if refusals := self.refusals.get(pod.uid):
            raise refusals.pop(0)
        self.done.append(pod.uid)

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


async def test_what_is_added_is_done_once() -> None:
    server = Server()
    server.queue.add(["a", "b"])
    server.queue.add(["a"])

    await server.queue.work()
    await server.queue.work()

    assert sorted(server.done) == ["a", "b"]


async def test_what_needs_nothing_is_left_alone() -> None:
    server = Server()
    server.needless = {"a"}
    server.queue.add(["a", "b"])

    await server.queue.work()

    assert server.done == ["b"]


@pytest.mark.parametrize("error", [ApiError(500, "InternalError", "no"), Unreachable("no answer")])
async def test_what_is_refused_is_tried_again_later_and_later(error: Exception) -> None:
    server = Server()
    server.refusals["a"] = [error, error]
    server.queue.add(["a"])

    await server.queue.work()
    await server.queue.work()
    assert len(server.refusals["a"]) == 1, "not before its time"

    server.pass_time(0.5)
    await server.queue.work()
    assert server.refusals["a"] == []
    server.pass_time(0.49)
    await server.queue.work()
    assert server.done == [], "the second pause is longer"
    server.pass_time(1)
    await server.queue.work()
    assert server.done == ["a"]


@pytest.mark.parametrize("jitter", [0.0, 0.999])
async def test_each_pause_is_twice_the_one_before_up_to_a_minute(jitter: float) -> None:
    server = Server()
    server.jitter = jitter
    server.refusals["a"] = [Unreachable("no answer") for _ in range(10)]
    server.queue.add(["a"])
    await server.queue.work()

    for whole in (0.5, 1, 2, 4, 8, 16, 32, 60, 60):
        pause, refusals = whole * (0.5 + 0.5 * jitter), len(server.refusals["a"])
        server.pass_time(pause - 0.01)
        await server.queue.work()
        assert len(server.refusals["a"]) == refusals
        server.pass_time(0.01)
        await server.queue.work()
        assert len(server.refusals["a"]) == refusals - 1


async def test_a_clock_that_is_set_back_puts_off_no_try() -> None:
    server = Server()
    server.refusals["a"] = [Unreachable("gone")]
    server.queue.add(["a"])
    await server.queue.work()
    server.now = START - timedelta(days=1)
    await server.queue.work()

    assert server.done == ["a"]


async def test_a_refused_pod_that_no_longer_needs_it_is_not_tried_again() -> None:
    server = Server()
    server.refusals["a"] = [Unreachable("no answer")]
    server.queue.add(["a"])
    await server.queue.work()

    server.needless = {"a"}
    server.pass_time(100)
    await server.queue.work()

    assert server.done == []
    assert server.queue._failures == {}


async def test_one_refusal_holds_up_nobody_and_few_are_done_at_once() -> None:
    server = Server()
    server.refusals["p3"] = [Unreachable("no answer")]
    names = [f"p{number}" for number in range(20)]
    server.queue.add(names)

    await server.queue.work()

    assert sorted(server.done) == sorted(set(names) - {"p3"})
    assert server.most_at_once == 3


async def test_it_works_as_it_is_told_until_it_is_stopped() -> None:
    server = Server()
    running = asyncio.create_task(server.queue.run())
    for uid in ("a", "b"):
        server.queue.add([uid])
        await eventually(partial(server.done.__contains__, uid))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert server.done == ["a", "b"]


async def test_while_it_may_not_nothing_is_done_and_all_is_forgotten() -> None:
    server, may = Server(), False
    server.queue.only_while(lambda: may)
    server.queue.add(["a"])
    await server.queue.work()
    may = True
    await server.queue.work()
    assert server.done == []

    server.queue.add(["b"])
    await server.queue.work()
    assert server.done == ["b"]


async def test_it_is_asked_before_each_pod() -> None:
    server = Server()
    server.queue.only_while(lambda: len(server.done) < 2)
    server.queue.add(f"p{number}" for number in range(50))
    await server.queue.work()

    assert len(server.done) < 2 + server.most_at_once
