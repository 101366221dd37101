"""Dead letters as people and programs read them. Everything in one is hostile: only escapes reach a terminal."""

import base64
import string
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import yaml
from google.protobuf.json_format import MessageToDict

from agent.api.v1.events_pb2 import RunEvent
from agent.broker.dead_letters import origin_of, original_message
from agent.broker.port import DeadLetter
from agent.core.units import in_words
from agent.ctl.console.terminal import fit, visible
from agent.wire import events as wire
from agent.wire.error import WireError

_DUMPED = 512
_DUMPED_A_LINE = 16
_PRINTED = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")
_COLUMNS = (("id", "ID"), ("died", "DIED"), ("topic", "TOPIC"), ("subscription", "FOR"), ("bytes", "BYTES"))


def document(letter: DeadLetter) -> dict[str, Any]:
    """A letter as plain JSON values, without its payload. What it does not say is ``None``."""
    delivery, found = letter.delivery, origin_of(letter.delivery.message)
    message = original_message(delivery.message)
    return {
        "id": letter.id,
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


def whole_document(letter: DeadLetter) -> dict[str, Any]:
    """A letter with its payload in base64, and as the event it holds or why it holds none."""
    payload = letter.delivery.message.payload
    return {**document(letter), "payload": base64.b64encode(payload).decode(), **_read(payload)}


def table(rows: Sequence[Mapping[str, Any]], *, now: datetime, columns: int | None) -> Iterator[str]:
    """The documents of letters as lines, each cut to the terminal's ``columns`` where it is one."""
    if not rows:
        yield "There are no dead letters."
        return
    texts = [_texts(row, now=now) for row in rows]
    widths = {name: max(len(title), *(len(one[name]) for one in texts)) for name, title in _COLUMNS}
    heading = dict(_COLUMNS) | {"error": "ERROR"}
    for one in [heading, *texts]:
        line = "  ".join([*(one[name].ljust(widths[name]) for name, _ in _COLUMNS), one["error"]])
        yield line if columns is None else fit(line, columns)


def card(letter: DeadLetter) -> Iterator[str]:
    """A letter as lines: all that is known of it, and the event it holds or its first bytes."""
    payload = letter.delivery.message.payload
    for name, value in document(letter).items():
        if name == "properties":
            yield "properties:"
            yield from (f"  {visible(key)}: {visible(text)}" for key, text in sorted(value.items()))
        else:
            yield f"{name}: {'-' if value is None else visible(str(value))}"
    read = _read(payload)
    if "event" in read:
        yield "event:"
        written = yaml.safe_dump(read["event"], sort_keys=False, allow_unicode=False)
        yield from (f"  {line}" for line in written.rstrip("\n").split("\n"))
    else:
        yield f"unreadable: {visible(read['unreadable'])}"
        yield from _dump(payload)
    yield ""


def _texts(row: Mapping[str, Any], *, now: datetime) -> dict[str, str]:
    age = (now - datetime.fromisoformat(row["diedAt"])).total_seconds()
    return {
        "id": visible(row["id"]),
        "died": f"{in_words(max(0, round(age)))} ago",
        "topic": visible(row["topic"] or row["place"]),
        "subscription": visible(row["subscription"] or "-"),
        "bytes": str(row["bytes"]),
        "error": visible(row["error"] or "no error is recorded"),
    }


def _read(payload: bytes) -> dict[str, Any]:
    try:
        wire.decode(payload)
    except WireError as error:
        return {"unreadable": str(error)}
    return {"event": MessageToDict(RunEvent.FromString(payload))}


def _dump(payload: bytes) -> Iterator[str]:
    for start in range(0, min(len(payload), _DUMPED), _DUMPED_A_LINE):
        part = payload[start : start + _DUMPED_A_LINE]
        text = "".join(char if char in _PRINTED else "." for char in part.decode("latin-1"))
        yield f"  {start:06x}  {part.hex(' '):<{_DUMPED_A_LINE * 3 - 1}}  {text}"
    if len(payload) > _DUMPED:
        yield f"  and {len(payload) - _DUMPED} bytes more: -o json has them all"
