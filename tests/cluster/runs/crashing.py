"""Ends an agent at one step: what comes after it never happens, as if the process was killed there."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from threading import Lock
from typing import TypeVar

from agent.broker.lazy import LazyBroker
from agent.broker.port import Delivery, Subscription, SubscriptionKind
from agent.cluster.spool.entries import Answer, Report, RunList, SpoolEntry
from agent.cluster.spool.spool import Spool
from agent.core.run_command import CreateRun, DiscardRun, ListRuns, RunCommand, StartRun, StopRun
from agent.core.run_event import RunCreated, RunEvent, RunPhase, RunsListed, RunStopped
from agent.kube.connection import Body, Connection, Params
from agent.wire import commands
from agent.wire.events import decode_any
from tests.cluster.living import Parts

T = TypeVar("T")
_COMMANDS = {CreateRun: "create", StartRun: "start", StopRun: "stop", DiscardRun: "discard"}


class Once:
    """Several agents may come to a step; the first one ends there."""

    def __init__(self) -> None:
        self._lock = Lock()

    def is_first(self) -> bool:
        return self._lock.acquire(blocking=False)


class Crash:
    """``reached`` is set at the step, once. Requests wait there without end, threads give up.

    ``parts`` are those of an agent that ends there. Of several that share ``once``, the first one ends.
    """

    def __init__(self, step: str, *, at: str, once: Once | None = None) -> None:
        self.reached = asyncio.Event()
        self.parts = Parts(connection=_connection(self), spool=_spool(self), broker=_broker(self))
        self._loop = asyncio.get_running_loop()
        self._step = step
        self._at = at
        self._once = once or Once()

    async def request(self, step: str, ask: Callable[[], Awaitable[bytes]]) -> bytes:
        if self._is_it("before", [step]):
            await self._end()
        answer = await ask()
        if self._is_it("after", [step]):  # of several at once the first that is done
            await self._end()
        return answer

    def call(self, steps: Sequence[str], do: Callable[[], T]) -> T:
        if self._is_it("before", steps):
            self._give_up()
        answer = do()
        if self._is_it("after", steps):
            self._give_up()
        return answer

    def _is_it(self, at: str, steps: Sequence[str]) -> bool:
        return self._at == at and self._step in steps and self._once.is_first()

    async def _end(self) -> None:
        self.reached.set()
        await self._loop.create_future()

    def _give_up(self) -> None:
        self._loop.call_soon_threadsafe(self.reached.set)
        raise asyncio.CancelledError  # ends only the task that waits for this thread


def _connection(crash: Crash) -> type[Connection]:
    class CrashingConnection(Connection):
        async def post(self, path: str, body: Body, params: Params | None = None, *, seconds: float = 30.0) -> bytes:
            create = super().post
            step = "create the pod" if path.endswith("/pods") and not params else ""
            return await crash.request(step, lambda: create(path, body, params, seconds=seconds))

        async def patch(self, path: str, body: Body, content_type: str) -> bytes:
            change = super().patch
            return await crash.request(_of_patch(body), lambda: change(path, body, content_type))

        async def delete(self, path: str, body: Body) -> bytes:
            remove = super().delete
            return await crash.request("delete the pod", lambda: remove(path, body))

    return CrashingConnection


def _spool(crash: Crash) -> type[Spool]:
    class CrashingSpool(Spool):
        def commit(self, entries: Sequence[SpoolEntry], *, now: datetime) -> frozenset[str]:
            commit = super().commit
            return crash.call(_of_commit(entries), lambda: commit(entries, now=now))

    return CrashingSpool


def _broker(crash: Crash) -> type[LazyBroker]:
    class CrashingSubscription:
        def __init__(self, subscription: Subscription) -> None:
            self.receive = subscription.receive
            self.nack = subscription.nack
            self.dead_letter = subscription.dead_letter
            self.close = subscription.close
            self._ack = subscription.ack

        def ack(self, deliveries: Sequence[Delivery]) -> None:
            crash.call(_of_ack(deliveries), lambda: self._ack(deliveries))

    class CrashingBroker(LazyBroker):
        def subscribe(self, topics: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str) -> Subscription:
            return CrashingSubscription(super().subscribe(topics, name=name, kind=kind, consumer=consumer))

    return CrashingBroker


def _of_patch(body: Body) -> str:
    if "spec" in body:
        return "remove the gate"
    if "'annotations'" in str(body):
        return "note the deletion"
    return "remove the finalizer" if "$deleteFromPrimitiveList/finalizers" in str(body) else ""


def _of_commit(entries: Sequence[SpoolEntry]) -> Sequence[str]:
    reports = [report for each in entries for report in _reports(each)]
    events = [decode_any(each.payload) for each in reports]
    asked_for = any(isinstance(event, RunsListed) and event.as_of is not None for event in events)
    runs = [f"spool {_word(event.event)}" for event in events if isinstance(event, RunEvent)]
    return [*runs, "spool a list"] if asked_for else runs


def _reports(entry: SpoolEntry) -> Sequence[Report]:
    match entry:
        case Report():
            return (entry,)
        case Answer(report=report):
            return (report,)
        case RunList(pages=pages):
            return pages
        case _:
            return ()


def _word(content: object) -> str:
    match content:
        case RunPhase():
            return content.value
        case RunCreated():
            return "created"
        case RunStopped():
            return "stopped"
        case _:
            return "another"


def _of_ack(deliveries: Sequence[Delivery]) -> Sequence[str]:
    taken = [each.message.payload for each in deliveries if each.topic.startswith("run-commands-")]
    return [f"acknowledge {_name(commands.decode_any(payload))}" for payload in taken]


def _name(command: RunCommand | ListRuns) -> str:
    return "a list" if isinstance(command, ListRuns) else _COMMANDS[type(command.command)]
