"""Dead letters as text and as documents. Everything in one is hostile: only escapes reach a terminal."""

import base64
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import yaml
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from agent.api.v1.commands_pb2 import RunCommand
from agent.api.v1.events_pb2 import RunEvent
from agent.api.v1.heartbeat_pb2 import Heartbeat
from agent.api.v1.job_event_pb2 import JobEvent
from agent.broker.dead_letters import origin_of, original_message
from agent.broker.port import DeadLetter
from agent.broker.topics import COMMANDS, HEARTBEATS, JOB_EVENTS
from agent.console.columns import Column, heading, line, widened
from agent.console.terminal import fit, visible
from agent.core.units import counted, in_words
from agent.wire import commands, events, heartbeat, job_event
from agent.wire.error import WireError

_DUMPED = 512
_DUMPED_A_LINE = 16
_PRINTED = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")
_COLUMNS = tuple(Column(heading=title) for title in ("ID", "DIED", "TOPIC", "FOR", "BYTES", "ERROR"))
_DUMP = (Column(width=6), Column(width=3 * _DUMPED_A_LINE - 1), Column())


def document(dead_letter: DeadLetter) -> dict[str, Any]:
    """A dead letter as plain JSON values, without its payload. Missing values are ``None``."""
    delivery, found = dead_letter.delivery, origin_of(dead_letter.delivery.message)
    message = original_message(delivery.message)
    return {
        "id": dead_letter.id,
        "place": delivery.topic,
        "topic": None if found is None else found.topic,
        "subscription": None if found is None else found.subscription,
        "error": None if found is None else found.error,
        "producer": delivery.producer if found is None else found.producer,
        "diedAt": delivery.published_at.isoformat(),
        "eventTime": None if message.event_time is None else message.event_time.isoformat(),
        "key": message.key,
        "bytes": len(message.payload),
        "properties": dict(message.properties),
    }


def whole_document(dead_letter: DeadLetter) -> dict[str, Any]:
    """A dead letter with its payload in base64, and as the event that it contains or why it contains none."""
    payload = dead_letter.delivery.message.payload
    return {**document(dead_letter), "payload": base64.b64encode(payload).decode(), **_read(dead_letter)}


def table(rows: Sequence[Mapping[str, Any]], *, now: datetime, columns: int | None) -> Iterator[str]:
    """The documents of dead letters as lines, each cut to the terminal's ``columns`` if there is one."""
    if not rows:
        yield "There are no dead letters."
        return
    texts = [_texts(row, now=now) for row in rows]
    shown = widened(_COLUMNS, texts)
    for row in (heading(shown), *(line(cells, shown) for cells in texts)):
        yield row if columns is None else fit(row, columns)


def card(dead_letter: DeadLetter) -> Iterator[str]:
    """A dead letter as lines: everything known about it, and the event that it contains or its first bytes."""
    payload = dead_letter.delivery.message.payload
    for name, value in document(dead_letter).items():
        if name == "properties":
            yield "properties:"
            yield from (f"  {visible(key)}: {visible(text)}" for key, text in sorted(value.items()))
        else:
            yield f"{name}: {'-' if value is None else visible(str(value))}"
    read = _read(dead_letter)
    if "event" in read:
        yield "event:"
        written = yaml.safe_dump(read["event"], sort_keys=False, allow_unicode=False)
        yield from (f"  {row}" for row in written.rstrip("\n").split("\n"))
    else:
        yield f"unreadable: {visible(read['unreadable'])}"
        yield from _dump(payload)
    yield ""


def _texts(row: Mapping[str, Any], *, now: datetime) -> tuple[str, ...]:
    age = (now - datetime.fromisoformat(row["diedAt"])).total_seconds()
    return (
        row["id"],
        f"{in_words(max(0, round(age)))} ago",
        row["topic"] or row["place"],
        row["subscription"] or "-",
        str(row["bytes"]),
        row["error"] or "no error is recorded",
    )


_Reader = tuple[Callable[[bytes], object], type[Message]]
_RUN_EVENT: Final[_Reader] = (events.decode_any, RunEvent)
_READERS: Final[Mapping[str, _Reader]] = {
    HEARTBEATS: (heartbeat.decode, Heartbeat),
    JOB_EVENTS: (job_event.decode, JobEvent),
    COMMANDS: (commands.decode_any, RunCommand),
}
"""How what is in a topic is read, by what the topic's name starts with; all other topics have run events."""


def _read(dead_letter: DeadLetter) -> dict[str, Any]:
    payload, topic = dead_letter.delivery.message.payload, dead_letter.delivery.topic
    decode, kind = next((reader for start, reader in _READERS.items() if topic.startswith(start)), _RUN_EVENT)
    try:
        decode(payload)
    except WireError as error:
        return {"unreadable": str(error)}
    return {"event": MessageToDict(kind.FromString(payload))}


def _dump(payload: bytes) -> Iterator[str]:
    for start in range(0, min(len(payload), _DUMPED), _DUMPED_A_LINE):
        part = payload[start : start + _DUMPED_A_LINE]
        text = "".join(char if char in _PRINTED else "." for char in part.decode("latin-1"))
        yield line((f"{start:06x}", part.hex(" "), text), _DUMP, indent=2)
    if len(payload) > _DUMPED:
        yield f"  and {counted(len(payload) - _DUMPED, 'byte')} more: -o json has all"
