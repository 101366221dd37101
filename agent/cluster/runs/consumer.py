"""Takes the commands for this cluster from the broker while this process is the leader."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar, assert_never

import structlog

from agent.broker.port import Broker, BrokerError, Subscription, SubscriptionKind
from agent.broker.topics import replay_topic
from agent.cluster.runs.gates import GateProbe
from agent.cluster.runs.in_hand import SUBSCRIPTION, CommandsInHand, Dead, Done, GivenBack
from agent.core.heartbeat import RunOffer
from agent.telemetry import broker_metrics as metrics
from agent.telemetry.repetition import Repetition

__all__ = ["SUBSCRIPTION", "CommandConsumer", "Source"]

_log = structlog.get_logger(__name__)
T = TypeVar("T")

_IDLE_SECONDS: Final = 0.2
_RETRY_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where commands come from, and the name of this process among those that consume them."""

    broker: Broker
    topic: str
    consumer: str

    @property
    def topics(self) -> tuple[str, str]:
        """The topic, and that of commands which were dead letters and are sent again."""
        return self.topic, replay_topic(self.topic, SUBSCRIPTION)


class CommandConsumer:
    """Acknowledges the commands that are done.

    A command that waits is not acknowledged: if the process dies or is no longer the leader, the broker delivers it
    again, to whoever is the leader then. ``may``: this process is the leader and has listed all pods.
    """

    def __init__(
        self, source: Source, commands: CommandsInHand, probe: GateProbe, *, may: Callable[[], bool], offer: RunOffer
    ) -> None:
        self._source = source
        self._commands = commands
        self._probe = probe
        self._may = may
        self._offer = offer
        self._ensured = False
        self._problem: str | None = None
        self._problems = Repetition()
        metrics.show_subscription(SUBSCRIPTION)

    def offer(self) -> RunOffer | None:
        """Which runs the cluster takes; ``None`` as long as a command might get lost, or a pod start by itself."""
        return self._offer if self._ensured and self._probe.why_unknown is None else None

    def check(self) -> str | None:
        """What keeps the leader from taking commands, for readiness."""
        return (self._probe.why_unknown or self._problem or self._commands.check()) if self._may() else None

    async def run(self) -> None:
        """Take commands whenever it may, until cancelled. Raises NoGates."""
        # One thread of its own: a subscription belongs to one, and its calls block.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="commands") as thread:
            while True:
                if self._may():
                    await self._probe.probe()
                    await self._serve(thread)
                await asyncio.sleep(_IDLE_SECONDS)

    async def _serve(self, thread: ThreadPoolExecutor) -> None:
        """Take commands as long as that goes well."""
        if self._probe.why_unknown is not None:
            await self._pause(self._probe.why_unknown)
            return
        try:
            await _on(thread, self._ensure)
            async with self._subscription(thread) as subscription:
                self._problem = None
                self._problems.over()
                while self._may():
                    await self._take(thread, subscription)
                    await self._settle(thread, subscription)
        except BrokerError as error:
            self._problem = f"commands cannot be taken: {error}"
            await self._pause(str(error))

    async def _pause(self, problem: str) -> None:
        if self._problems.is_due(problem):
            _log.warning("commands cannot be taken; will try again", topic=self._source.topic, error=problem)
        await asyncio.sleep(_RETRY_SECONDS)

    def _ensure(self) -> None:
        for topic in self._source.topics:
            self._source.broker.ensure_subscription(topic, SUBSCRIPTION)
        self._ensured = True

    @asynccontextmanager
    async def _subscription(self, thread: ThreadPoolExecutor) -> AsyncIterator[Subscription]:
        subscription = await _on(thread, self._subscribe)
        _log.info("taking commands", topic=self._source.topic)
        try:
            yield subscription
        finally:
            thread.submit(subscription.close)  # what was not acknowledged is delivered again
            await self._commands.drop()

    def _subscribe(self) -> Subscription:
        source = self._source
        kind = SubscriptionKind.FAILOVER
        return source.broker.subscribe(source.topics, name=SUBSCRIPTION, kind=kind, consumer=source.consumer)

    async def _take(self, thread: ThreadPoolExecutor, subscription: Subscription) -> None:
        room = self._commands.room
        if room <= 0:
            await asyncio.sleep(_IDLE_SECONDS)
            return
        for delivery in await _on(thread, partial(subscription.receive, at_most=room, timeout=_IDLE_SECONDS)):
            self._commands.begin(delivery)

    async def _settle(self, thread: ThreadPoolExecutor, subscription: Subscription) -> None:
        ended = self._commands.outcomes()
        if done := [delivery for delivery, outcome in ended if isinstance(outcome, Done)]:
            await _on(thread, partial(subscription.ack, done))
            metrics.CONSUMED.labels(SUBSCRIPTION).inc(len(done))
        for delivery, outcome in ended:
            match outcome:
                case Done():
                    pass
                case GivenBack():
                    await _on(thread, partial(subscription.nack, [delivery]))
                    metrics.RETURNED.labels(SUBSCRIPTION).inc()
                case Dead(error=error, reason=reason):
                    await _on(thread, partial(subscription.dead_letter, delivery, error=error))
                    metrics.DEAD_LETTERS.labels(SUBSCRIPTION, reason).inc()
                    _log.error("a command moved to the dead letters", topic=delivery.topic, error=error)
                case _:
                    assert_never(outcome)


async def _on(thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(thread, work)
