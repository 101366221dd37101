"""Commands in hand: each is tried until it is done or refused, and kept while it must wait."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import structlog

from agent.backoff import Backoff
from agent.broker.consume.newer import PAUSE, NewerMessages
from agent.broker.port import Delivery
from agent.cluster.runs.answers import Refused, Waits
from agent.core.run_command import CreateRun, DiscardRun, ListRuns, RunCommand, StartRun, StopRun
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Unreachable
from agent.telemetry import cluster_metrics as metrics
from agent.telemetry.broker_metrics import DeadLetterReason
from agent.wire import commands as wire
from agent.wire.error import TooNew, WireError

_log = structlog.get_logger(__name__)

SUBSCRIPTION: Final = "agent"
"""Of the topic of commands."""

MOST: Final = 500
"""How many commands are in hand, those that wait included. At this number, one that must wait is given back."""

_AT_ONCE: Final = 16
_MOST_ERRORS: Final = 5
"""How often handling a command may fail in a way that nobody foresaw before it becomes a dead letter."""

_MOST_KEPT: Final = 50
"""How many commands that only a later version knows are in hand; the others are given back at once."""

_BACKOFF: Final = Backoff(first=0.5, most=30.0)


@dataclass(frozen=True, slots=True)
class Done:
    """Its effect is at the API server and its answer on disk: acknowledge it."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """It waits, for room or for a later version: have it delivered again later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dead:
    """It can never be handled."""

    error: str
    reason: DeadLetterReason


Outcome = Done | GivenBack | Dead


_KINDS: Final = {CreateRun: "create", StartRun: "start", StopRun: "stop", DiscardRun: "discard"}


class CommandsInHand:
    """Handles commands in parallel. ``leads`` is asked before each try: another process may have taken over."""

    def __init__(
        self,
        handle: Callable[[RunCommand | ListRuns], Awaitable[None]],
        *,
        leads: Callable[[], bool],
        backoff: Backoff = _BACKOFF,
        jitter: Callable[[], float] = random.random,
        at_most: int = MOST,
        pause: float = PAUSE,
    ) -> None:
        self._handle = handle
        self._leads = leads
        self._backoff = backoff
        self._jitter = jitter
        self._at_most = at_most
        self._pause = pause
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._outcomes: list[tuple[Delivery, Outcome]] = []
        self._newer = NewerMessages(SUBSCRIPTION)
        self._kept = 0

    def check(self) -> str | None:
        """What waits for a later version, for readiness."""
        return self._newer.problem()

    @property
    def room(self) -> int:
        """How many more may be begun."""
        return self._at_most - len(self._tasks)

    def begin(self, delivery: Delivery) -> None:
        """Handle this one from now on."""
        task = asyncio.create_task(self._work(delivery), name="command")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def outcomes(self) -> list[tuple[Delivery, Outcome]]:
        """Those that ended since the last call, each once."""
        ended, self._outcomes = self._outcomes, []
        return ended

    async def drop(self) -> None:
        """Give up on all of them; what was not acknowledged comes again."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._outcomes.clear()

    async def _work(self, delivery: Delivery) -> None:
        try:
            command = wire.decode_any(delivery.message.payload)
        except TooNew as error:
            outcome: Outcome = await self._wait_for_later_version(delivery, error)
        except WireError as error:
            outcome = Dead(error=f"not a command: {error}", reason=DeadLetterReason.UNREADABLE)
        else:
            outcome = await self._until_over(command)
        self._outcomes.append((delivery, outcome))

    async def _wait_for_later_version(self, delivery: Delivery, error: TooNew) -> GivenBack:
        """Keep it for a while, if few are kept: commands that this version knows need the room.

        Other commands overtake it. Each command may be late or lost, so it is as if it were.
        """
        self._newer.met(delivery.topic, str(error))
        if self._kept < _MOST_KEPT:
            self._kept += 1
            try:
                await asyncio.sleep(self._pause)
            finally:
                self._kept -= 1
        return GivenBack()

    async def _until_over(self, command: RunCommand | ListRuns) -> Outcome:
        kind, run, errors, tries = *_about(command), 0, 0
        while True:
            try:
                await self._try(command)
            except Refused as error:
                metrics.RUN_COMMANDS.labels(kind, "refused").inc()
                return Dead(error=str(error), reason=DeadLetterReason.REFUSED)
            except (Waits, ApiError, Unreachable, Unreadable) as error:
                _log.info("a command waits", command=kind, run=run, error=str(error))
            except Exception as error:  # noqa: BLE001 - counted against the command; others go on
                errors += 1
                _log.exception("a command could not be handled", command=kind, run=run, attempts=errors)
                if errors == _MOST_ERRORS:
                    text = f"{type(error).__name__}: {error} (after {errors} attempts)"
                    return Dead(error=text, reason=DeadLetterReason.ATTEMPTS)
            else:
                metrics.RUN_COMMANDS.labels(kind, "done").inc()
                return Done()
            if self.room <= 0:
                return GivenBack()
            with metrics.WAITING_COMMANDS.track_inprogress():
                await asyncio.sleep(self._backoff.seconds(tries, jitter=self._jitter()))
            tries += 1

    async def _try(self, command: RunCommand | ListRuns) -> None:
        # A list takes long, and asks for it pile up: creates and stops must not wait for a slot behind them.
        async with nullcontext() if isinstance(command, ListRuns) else self._slots:
            if not self._leads():
                raise Waits("another process is the leader")
            await self._handle(command)


def _about(command: RunCommand | ListRuns) -> tuple[str, str]:
    """The kind of the command, and the run that it is about, if any."""
    return ("list", "") if isinstance(command, ListRuns) else (_KINDS[type(command.command)], command.run_id)
