"""``failctl lookout status``: what is stored, and how much the broker still has."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TextIO

from agent.broker.topics import EVENTS
from agent.console.columns import Column, heading, line, table, widened
from agent.console.exits import CommandError, Exit
from agent.console.options import Form
from agent.console.terminal import shorten, visible, width
from agent.core.failure_text.times import lasted
from agent.ctl.broker.connect import open_by_settings
from agent.ctl.lookout.connect import LookoutAddress, broker_of, database_of, open_database
from agent.lookout.upkeep import status
from agent.lookout.upkeep.status import SUBSCRIPTION, Stored, TopicStatus

_TOPICS: Final = (
    Column(heading="TOPIC"),
    Column(heading="REACHES BACK TO"),
    Column(heading="MESSAGES", right=True),
    Column(heading="BACKLOG", right=True),
    Column(heading="LAG", right=True),
)
_ROWS: Final = (Column(heading="TABLE"), Column(heading="ROWS", right=True))
_HOURS: Final = (
    Column(heading="HOUR"),
    Column(heading="RUNS", right=True),
    Column(heading="FAILURES", right=True),
)
_UNKNOWN: Final = "?"
_NARROWEST: Final = 12
"""The fewest characters of a topic that are shown, however narrow the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRequest:
    """Whose status, and the form of the answer."""

    where: LookoutAddress = field(default_factory=LookoutAddress)
    output: Form = "table"


def show_status(request: StatusRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO) -> Exit:
    """Say how it stands. If only the broker does not answer, say first what is stored.

    Raises UsageError and UnreachableError.
    """
    database, broker = database_of(request.where, environ), broker_of(request.where, environ)
    with open_database(database) as store, store.read() as connection:
        stored = status.stored(connection, now=now)
    unreachable: CommandError | None = None
    topics: list[TopicStatus] | None = None
    try:
        with open_by_settings(broker) as opened:
            topics = status.topics(opened)
    except CommandError as error:
        unreachable = error
    if request.output == "json":
        document = {"broker": broker.url, "database": database.url, **_document(stored, topics, now)}
        out.write(json.dumps(document, indent=2) + "\n")
    else:
        if topics is not None:
            out.writelines(f"{text}\n" for text in _of_broker(broker.url, topics, now=now, columns=width(out)))
        out.writelines(f"{text}\n" for text in _of_database(database.url, stored))
    if unreachable is not None:
        raise unreachable
    return Exit.FINE


def _of_broker(url: str, topics: Sequence[TopicStatus], *, now: datetime, columns: int | None) -> Iterator[str]:
    yield f"Broker {visible(url)}"
    if not topics:
        yield "It has no topic that Lookout reads: neither an agent nor a scheduler has published anything yet."
        yield ""
        return
    rows = [_topic_row(topic, now) for topic in topics]
    shown = widened(_TOPICS, rows)
    if columns is not None:
        beyond = max(0, len(heading(shown)) - columns)
        shown = (replace(shown[0], width=max(shown[0].width - beyond, _NARROWEST)), *shown[1:])
    yield heading(shown)
    yield from (line((shorten(name, shown[0].width), *rest), shown) for name, *rest in rows)
    yield from warnings(topics)
    yield ""


def _topic_row(topic: TopicStatus, now: datetime) -> tuple[str, ...]:
    held, lag = topic.retained, topic.lag(now)
    return (
        topic.topic,
        "-" if held.oldest is None else _at(held.oldest),
        _number(held.messages),
        _number(held.backlog),
        _UNKNOWN if lag is None else lasted(lag.total_seconds()),
    )


def warnings(topics: Sequence[TopicStatus]) -> Iterator[str]:
    """What an operator should know of these topics: nothing keeps messages of one, or the broker does not say."""
    for topic in topics:
        if topic.retained.subscribed is False and topic.topic.startswith(EVENTS):
            cluster = visible(topic.topic.removeprefix(EVENTS))
            yield (
                f"{visible(topic.topic)} has no subscription {SUBSCRIPTION} yet: until Lookout starts, messages that "
                f"others acknowledged are deleted. To keep them, the agent of {cluster} needs `subscriptions` with "
                f"{SUBSCRIPTION}."
            )
    if any(topic.retained.backlog is None for topic in topics):
        yield f"{_UNKNOWN}: only Pulsar's admin API knows this. Give its address in broker.pulsar.adminUrl."


def _of_database(url: str, stored: Stored) -> Iterator[str]:
    yield f"Database {visible(url)}: {stored.size / 1e6:,.1f} MB"
    if stored.first is not None and stored.last is not None:
        yield f"Runs are counted that ended in the {_hours(stored.first, stored.last)}."
    else:
        yield "No run is counted yet."
    if stored.horizon is not None:
        yield f"Runs that ended before {_hour(stored.horizon)} were pruned; their counts stay."
    yield ""
    rows = [(name, f"{count:,}") for name, count in stored.rows.items()]
    yield from table(_ROWS, rows)
    yield ""
    yield from table(_HOURS, [(_hour(hour.at), f"{hour.runs:,}", f"{hour.failures:,}") for hour in stored.hours])


def _document(stored: Stored, topics: Sequence[TopicStatus] | None, now: datetime) -> dict[str, Any]:
    return {
        "topics": None if topics is None else [_topic_document(topic, now) for topic in topics],
        "warnings": None if topics is None else list(warnings(topics)),
        "bytes": stored.size,
        "rows": dict(stored.rows),
        "firstHour": _iso(stored.first),
        "lastHour": _iso(stored.last),
        "horizon": _iso(stored.horizon),
        "hours": [{"hour": _iso(hour.at), "runs": hour.runs, "failures": hour.failures} for hour in stored.hours],
    }


def _topic_document(topic: TopicStatus, now: datetime) -> dict[str, Any]:
    held, lag = topic.retained, topic.lag(now)
    return {
        "topic": topic.topic,
        "oldest": _iso(held.oldest),
        "messages": held.messages,
        "subscribed": held.subscribed,
        "backlog": held.backlog,
        "oldestInBacklog": _iso(held.oldest_in_backlog),
        "lagSeconds": None if lag is None else lag.total_seconds(),
    }


def _number(count: int | None) -> str:
    return _UNKNOWN if count is None else f"{count:,}"


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _hour(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _hours(first: datetime, last: datetime) -> str:
    return f"hour of {_hour(first)}" if first == last else f"hours from {_hour(first)} to {_hour(last)}"


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
