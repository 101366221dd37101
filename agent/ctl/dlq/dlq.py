"""``failctl dlq``: list, show, replay and drop messages that could not be handled."""

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import TextIO

from agent.broker.port import Broker, Busy, DeadLetter, DeadLetters
from agent.broker.topics import is_dead_letter_topic
from agent.console.errors import report_error
from agent.console.exits import Exit, NotFoundError, UsageError
from agent.console.listing import write_documents
from agent.console.options import ListForm
from agent.console.terminal import visible, width
from agent.ctl.broker.connect import BrokerAddress, open_for_command
from agent.ctl.dlq.replay import Replayer
from agent.ctl.dlq.text import card, document, table, whole_document

_BUSY_SECONDS = 5.0
_PAUSE_SECONDS = 0.1
_AT_ONCE = 100
"""Dead letters in memory at a time: each may be megabytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which dead letters: those with these ids, else every one; of topics whose name starts with ``topic``."""

    ids: Collection[str] = ()
    every: bool = False
    topic: str = ""

    def check(self) -> None:
        """Raise UsageError unless it names ids, or every dead letter, but not both."""
        if bool(self.ids) == self.every:
            raise UsageError("which dead letters? Give ids, which `dlq list` shows, or --all")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterRequest:
    """Which dead letters of which broker, and the form of the answer. Nothing is changed without ``yes``."""

    where: BrokerAddress = field(default_factory=BrokerAddress)
    choice: Choice = field(default_factory=Choice)
    output: ListForm = "table"
    yes: bool = False


def list_dead_letters(request: DeadLetterRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO) -> Exit:
    """List dead letters. Raises UsageError, NotFoundError and UnreachableError."""
    with open_for_command(request.where, environ) as broker:
        every = replace(request.choice, every=True)
        rows = [
            document(dead_letter)
            for dead_letters in _dead_letter_topics(broker, every)
            for dead_letter in dead_letters.read()
        ]
    if request.output in ("table", "wide"):
        columns = width(out) if request.output == "table" else None
        out.writelines(f"{line}\n" for line in table(rows, now=now, columns=columns))
    else:
        write_documents(rows, request.output, name=lambda row: str(row["id"]), out=out)
    return Exit.FINE


def show_dead_letters(request: DeadLetterRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Show whole dead letters. Exits with code 1 if one does not exist.

    Raises UsageError, NotFoundError and UnreachableError.
    """
    request.choice.check()
    shown: set[str] = set()
    with open_for_command(request.where, environ) as broker:
        for dead_letters in _dead_letter_topics(broker, request.choice):
            for dead_letter in (
                dead_letter for batch in _batches(dead_letters, request.choice) for dead_letter in batch
            ):
                out.writelines(f"{line}\n" for line in _written(dead_letter, request.output))
                shown.add(dead_letter.id)
    return _end(request.choice, found=shown, err=err)


def replay_dead_letters(request: DeadLetterRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Replay dead letters, and drop each once the broker has acknowledged its copy in the replay topic.

    Exits with code 1 if one does not exist or could not be sent. Raises UsageError, NotFoundError and UnreachableError.
    """
    request.choice.check()
    found: set[str] = set()
    left = 0
    with open_for_command(request.where, environ) as broker, closing(Replayer(broker)) as replayer:
        for dead_letters in _dead_letter_topics(broker, request.choice):
            for batch in _batches(dead_letters, request.choice):
                found |= {dead_letter.id for dead_letter in batch}
                if not request.yes:
                    out.writelines(
                        f"would replay {dead_letter.id} of {visible(dead_letter.delivery.topic)}\n"
                        for dead_letter in batch
                    )
                    continue
                result = replayer.send(batch)
                # Only now, after the broker has acknowledged the copies: a crash replays twice but loses nothing.
                dead_letters.drop(result.sent)
                out.writelines(f"replayed {dead_letter.id}\n" for dead_letter in result.sent)
                for dead_letter, why in result.left:
                    report_error(err, f"{dead_letter.id} was not replayed: {visible(why)}")
                left += len(result.left)
    code = _end(request.choice, found=found, err=err)
    return Exit.FINDING if left else code


def drop_dead_letters(request: DeadLetterRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Delete dead letters permanently. Exits with code 1 if one does not exist.

    Raises UsageError, NotFoundError and UnreachableError.
    """
    request.choice.check()
    found: set[str] = set()
    with open_for_command(request.where, environ) as broker:
        for dead_letters in _dead_letter_topics(broker, request.choice):
            for batch in _batches(dead_letters, request.choice):
                if request.yes:
                    dead_letters.drop(batch)
                word = "dropped" if request.yes else "would drop"
                out.writelines(
                    f"{word} {dead_letter.id} of {visible(dead_letter.delivery.topic)}\n" for dead_letter in batch
                )
                found |= {dead_letter.id for dead_letter in batch}
    return _end(request.choice, found=found, err=err)


def _dead_letter_topics(broker: Broker, choice: Choice) -> Iterator[DeadLetters]:
    """Yield each dead-letter topic, open until the next is asked for. Raises NotFoundError if no topic fits."""
    topics = broker.topics(choice.topic)
    if choice.topic and not topics:
        known = ", ".join(visible(topic) for topic in broker.topics("") if not is_dead_letter_topic(topic))
        wanted = visible(choice.topic)
        raise NotFoundError(f"there is no topic whose name starts with {wanted}; the broker has {known or 'none'}")
    for topic in topics:
        if is_dead_letter_topic(topic):
            with closing(_open_when_free(broker, topic)) as dead_letters:
                yield dead_letters


def _open_when_free(broker: Broker, topic: str) -> DeadLetters:
    """Open a dead-letter topic; wait while a consumer has it open to write its first dead letter. Raises Busy."""
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            return broker.dead_letters(topic)
        except Busy:
            if time.monotonic() >= until:
                raise
            time.sleep(_PAUSE_SECONDS)


def _batches(dead_letters: DeadLetters, choice: Choice) -> Iterator[Sequence[DeadLetter]]:
    """Yield the chosen dead letters of one topic, a few at a time."""
    chosen = (dead_letter for dead_letter in dead_letters.read() if choice.every or dead_letter.id in choice.ids)
    while batch := list(islice(chosen, _AT_ONCE)):
        yield batch


def _written(dead_letter: DeadLetter, output: ListForm) -> Iterable[str]:
    return [json.dumps(whole_document(dead_letter))] if output == "json" else card(dead_letter)


def _end(choice: Choice, *, found: Collection[str], err: TextIO) -> Exit:
    missing = sorted(set(choice.ids) - set(found))
    for identifier in missing:
        report_error(err, f"there is no dead letter {visible(identifier)}")
    if choice.every and not found:
        err.write("There are no dead letters.\n")
    return Exit.FINDING if missing else Exit.FINE
