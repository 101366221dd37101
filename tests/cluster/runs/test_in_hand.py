"""Commands in hand: tried until they are done, kept while they wait, refused only where they can never be done."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from agent.backoff import Backoff
from agent.broker.port import Delivery, Message
from agent.cluster.runs.answers import Refused, Waits
from agent.cluster.runs.in_hand import CommandsInHand, Dead, Done, GivenBack, Outcome
from agent.core.run_command import ListRuns, RunCommand
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Unreachable
from agent.telemetry.broker_metrics import DeadLetterReason
from agent.wire import commands as wire
from tests.cluster.living import eventually
from tests.cluster.runs.commanding import command, create

COMMAND = command(create(), cluster_id="c")
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def delivery(payload: bytes | None = None) -> Delivery:
    text = wire.encode(COMMAND) if payload is None else payload
    message = Message(key="j1", payload=text)
    return Delivery(
        topic="t", message=message, producer="p", published_at=NOW, redeliveries=0, position="1", token=None
    )


@dataclass
class Handler:
    """Fails in turn with these, and then no more."""

    errors: list[Exception] = field(default_factory=list)
    tries: int = 0

    async def handle(self, given: RunCommand | ListRuns) -> None:
        assert given == COMMAND
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)


def in_hand(handler: Handler, *, leads: Sequence[bool] = (), at_most: int = 10) -> CommandsInHand:
    answers = list(leads)
    return CommandsInHand(
        handler.handle,
        leads=lambda: answers.pop(0) if answers else True,
        backoff=Backoff(first=0.001, most=0.001),
        at_most=at_most,
        pause=0.001,
    )


async def outcome(commands: CommandsInHand, given: Delivery | None = None) -> Outcome:
    commands.begin(given or delivery())
    ended: list[tuple[Delivery, Outcome]] = []

    def has_ended() -> bool:
        ended.extend(commands.outcomes())
        return bool(ended)

    await eventually(has_ended)
    ((_, how),) = ended
    return how


async def test_a_command_is_done_once() -> None:
    handler = Handler()

    assert await outcome(in_hand(handler)) == Done()
    assert handler.tries == 1


@pytest.mark.parametrize(
    "error", [Waits("held"), Unreachable("no answer"), ApiError(503, "ServiceUnavailable"), Unreadable("no pod")]
)
async def test_what_may_be_possible_later_is_tried_again_and_is_never_a_dead_letter(error: Exception) -> None:
    handler = Handler(errors=[error] * 40)

    assert await outcome(in_hand(handler)) == Done()
    assert handler.tries == 41


async def test_what_can_never_be_done_is_a_dead_letter_at_once() -> None:
    handler = Handler(errors=[Refused("the command is for another cluster")])

    dead = Dead(error="the command is for another cluster", reason=DeadLetterReason.REFUSED)
    assert await outcome(in_hand(handler)) == dead
    assert handler.tries == 1


async def test_what_cannot_be_read_is_a_dead_letter_at_once() -> None:
    ended = await outcome(in_hand(Handler()), delivery(b"\xff"))

    assert isinstance(ended, Dead)
    assert (ended.reason, ended.error.partition(":")[0]) == (DeadLetterReason.UNREADABLE, "not a command")


async def test_an_error_that_nobody_foresaw_is_counted() -> None:
    handler = Handler(errors=[KeyError("x")] * 9)

    dead = Dead(error="KeyError: 'x' (after 5 attempts)", reason=DeadLetterReason.ATTEMPTS)
    assert await outcome(in_hand(handler)) == dead


async def test_lists_that_take_long_keep_no_other_command_waiting() -> None:
    done: list[RunCommand] = []

    async def handle(given: RunCommand | ListRuns) -> None:
        if isinstance(given, ListRuns):
            await asyncio.Event().wait()
        else:
            done.append(given)

    commands = CommandsInHand(handle, leads=lambda: True)
    for _ in range(100):
        commands.begin(delivery(wire.encode(ListRuns(cluster_id="c", issued_at=NOW))))
    commands.begin(delivery())

    await eventually(lambda: done == [COMMAND])
    await commands.drop()


NEWER = wire.encode(ListRuns(cluster_id="c", issued_at=NOW)).removesuffix(b"\x52\x00") + b"\x9a\x06\x00"
"""A command with field 99 in place of what it is about."""


async def test_a_command_that_only_a_later_version_knows_waits_for_it() -> None:
    commands = in_hand(Handler())
    assert commands.check() is None

    assert await outcome(commands, delivery(NEWER)) == GivenBack()
    assert "RunCommand with command 99, which only a later version knows; upgrade it" in (commands.check() or "")


async def test_many_commands_of_a_later_version_leave_room_for_others() -> None:
    handler = Handler()
    commands = CommandsInHand(handler.handle, leads=lambda: True, pause=600)
    for _ in range(200):
        commands.begin(delivery(NEWER))
    commands.begin(delivery())

    await eventually(lambda: handler.tries == 1)
    assert commands.room == 450
    assert Done() in [how for _, how in commands.outcomes()]
    await commands.drop()


async def test_without_leading_nothing_is_done() -> None:
    handler = Handler()

    assert await outcome(in_hand(handler, leads=[False, False])) == Done()
    assert handler.tries == 1


async def test_without_room_a_command_that_waits_is_given_back() -> None:
    assert await outcome(in_hand(Handler(errors=[Waits("held")]), at_most=1)) == GivenBack()


async def test_what_is_dropped_has_no_outcome_and_makes_room() -> None:
    commands = in_hand(Handler(errors=[Waits("held")] * 10_000))
    commands.begin(delivery())
    await asyncio.sleep(0.01)
    assert commands.room == 9
    await commands.drop()

    assert commands.outcomes() == []
    assert commands.room == 10
