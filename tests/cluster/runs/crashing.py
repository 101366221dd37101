"""Ends an agent at one step: what comes after it never happens, as if the process was killed there."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from agent.broker.eventlog.subscription import LogSubscription
from agent.broker.port import Delivery
from agent.cluster.spool.entries import Answer, Report, SpoolEntry
from agent.cluster.spool.spool import Spool
from agent.core.run_command import CreateRun, DiscardRun, StartRun, StopRun
from agent.core.run_event import RunCreated, RunEvent, RunPhase, RunStopped
from agent.kube.connection import Connection
from agent.wire import commands
from agent.wire.events import decode_any

_COMMANDS = {CreateRun: "create", StartRun: "start", StopRun: "stop", DiscardRun: "discard"}


class Crash:
    """``reached`` is set at the step, once. Requests wait there without end, threads give up."""

    def __init__(self, step: str, *, at: str) -> None:
        self.reached = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._step = step
        self._at = at
        self._hit = False

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Watch the steps of every agent of this test from now on."""
        for name, step_of in (("post", _of_post), ("patch", _of_patch), ("delete", _of_delete)):
            monkeypatch.setattr(Connection, name, self._request(getattr(Connection, name), step_of))
        monkeypatch.setattr(Spool, "commit", self._in_thread(Spool.commit, _of_commit))
        monkeypatch.setattr(LogSubscription, "ack", self._in_thread(LogSubscription.ack, _of_ack))

    def _request(
        self, original: Callable[..., Awaitable[bytes]], step_of: Callable[..., str]
    ) -> Callable[..., Awaitable[bytes]]:
        async def request(connection: Connection, *given: object, **named: object) -> bytes:
            is_it = self._is_it([step_of(*given, **named)])
            if is_it and self._at == "before":
                await self._end()
            answer = await original(connection, *given, **named)
            if is_it:
                await self._end()
            return answer

        return request

    def _in_thread(
        self, original: Callable[..., object], steps_of: Callable[..., Sequence[str]]
    ) -> Callable[..., object]:
        def call(owner: object, given: object, **named: object) -> object:
            is_it = self._is_it(steps_of(given))
            if is_it and self._at == "before":
                self._give_up()
            answer = original(owner, given, **named)
            if is_it:
                self._give_up()
            return answer

        return call

    def _is_it(self, steps: Sequence[str]) -> bool:
        if self._hit or self._step not in steps:
            return False
        self._hit = True
        return True

    async def _end(self) -> None:
        self.reached.set()
        await self._loop.create_future()

    def _give_up(self) -> None:
        self._loop.call_soon_threadsafe(self.reached.set)
        raise asyncio.CancelledError  # ends only the task that waits for this thread


def _of_post(path: str, body: object, params: Mapping[str, str] | None = None, **_: object) -> str:
    del body
    return "create the pod" if path.endswith("/pods") and not params else ""


def _of_patch(path: str, body: dict[str, Any], content_type: str) -> str:
    del path, content_type
    if "spec" in body:
        return "remove the gate"
    return "remove the finalizer" if "$deleteFromPrimitiveList/finalizers" in body["metadata"] else ""


def _of_delete(path: str, body: object) -> str:
    del path, body
    return "delete the pod"


def _of_commit(entries: Sequence[SpoolEntry]) -> Sequence[str]:
    reports = [each.report if isinstance(each, Answer) else each for each in entries]
    events = [decode_any(each.payload) for each in reports if isinstance(each, Report)]
    return [f"spool {_word(event.event)}" for event in events if isinstance(event, RunEvent)]


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
    return [f"acknowledge {_COMMANDS[type(commands.decode(payload).command)]}" for payload in taken]
