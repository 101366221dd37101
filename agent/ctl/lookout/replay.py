"""``failctl lookout replay``: stores again what the topics still have."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from agent.broker.port import Broker, BrokerError, Delivery
from agent.console.columns import Column, table
from agent.console.errors import report_error
from agent.console.exits import Exit, UnreachableError
from agent.console.options import Form
from agent.console.progress import Progress
from agent.core.units import counted
from agent.ctl.broker.connect import open_by_settings
from agent.ctl.lookout.connect import LookoutAddress, broker_of, database_of, open_to_store
from agent.ctl.times import read_start
from agent.lookout.upkeep.replay import Replay, TransientError, first_messages
from agent.lookout.upkeep.status import rows
from agent.store.store import Store

_ROWS: Final = (
    Column(heading="TABLE"),
    Column(heading="ROWS BEFORE", right=True),
    Column(heading="NOW", right=True),
)
_TOPICS: Final = (Column(heading="TOPIC"), Column(heading="FIRST MESSAGE"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """Whose topics and database, and from which time on."""

    since: str
    where: LookoutAddress = field(default_factory=LookoutAddress)
    dry_run: bool = False
    output: Form = "table"


def replay(request: ReplayRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Store again, or only say what would be read. Exits with code 1 if something was left out, or if interrupted.

    Raises UsageError, UnreachableError and FindingError.
    """
    since = read_start("--from", request.since, now=now)
    database, broker = database_of(request.where, environ), broker_of(request.where, environ)
    if request.dry_run:
        with open_by_settings(broker) as opened:
            topics = dict(first_messages(opened, since=since))
        _write_reach(topics, request.output, out)
        return Exit.FINE
    with open_to_store(database) as store, open_by_settings(broker) as opened:
        before = _rows(store)
        run = Replay(store=store, left_out=lambda delivery, why: report_error(err, _left_out(delivery, why)))
        stopped = _stored(run, opened, since, err)
        document = _document(run, before=before, now=_rows(store))
    _write_result(document, request.output, out)
    if stopped:
        report_error(err, f"interrupted; what was read is stored. {_resume(run)}", code=Exit.FINDING)
    return Exit.FINDING if stopped or run.unreadable or run.newer else Exit.FINE


def _stored(run: Replay, broker: Broker, since: datetime | None, err: TextIO) -> bool:
    """Run it to its end; true if it was interrupted. Raises UnreachableError, which says how to go on."""
    progress = Progress(err, noun="messages")
    try:
        for step in run.run(broker, since=since):
            progress.show(step.messages, detail=f", up to {_at(step.reached)}")
    except KeyboardInterrupt:
        return True
    except (TransientError, BrokerError) as error:
        raise UnreachableError(f"{error}. {_resume(run)}") from error
    finally:
        progress.end()
    return False


def _resume(run: Replay) -> str:
    if run.reached is None:
        return "Nothing was stored yet: start it again"
    return f"To go on, start it again with --from {run.reached.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _left_out(delivery: Delivery, why: str) -> str:
    return f"{delivery.topic} {delivery.position}, published {_at(delivery.published_at)}, was left out: {why}"


def _rows(store: Store) -> dict[str, int]:
    with store.read() as connection:
        return rows(connection)


def _document(run: Replay, *, before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, Any]:
    return {
        "messages": run.messages,
        "first": _iso(run.first),
        "reached": _iso(run.reached),
        "unreadable": run.unreadable,
        "newer": run.newer,
        "tooOld": run.too_old,
        "changed": run.changed,
        "recounted": run.recounted,
        "rows": {name: {"before": count, "now": now[name]} for name, count in before.items()},
    }


def _write_result(document: Mapping[str, Any], form: Form, out: TextIO) -> None:
    if form == "json":
        out.write(json.dumps(document, indent=2) + "\n")
    else:
        out.writelines(f"{text}\n" for text in _result(document))


def _result(document: Mapping[str, Any]) -> Iterator[str]:
    if not document["messages"]:
        yield "The topics have no message from then on."
        return
    first, reached = (_at(datetime.fromisoformat(document[name])) for name in ("first", "reached"))
    yield f"{document['messages']:,} messages were read."
    yield f"They were published from {first} to {reached}."
    for name, words in _COUNTED.items():
        if document[name]:
            yield f"{document[name]:,} {words}"
    added = [(name, count) for name, count in document["rows"].items() if count["before"] != count["now"]]
    if document["changed"]:
        yield f"Changed to what the messages say: {counted(document['changed'], 'row')}."
    elif not added and not document["recounted"]:
        yield "Everything was there already: no row was added or changed."
    if document["recounted"]:
        yield f"Corrected to what the rows say: {counted(document['recounted'], 'count')}."
    if added:
        yield ""
        yield from table(_ROWS, [(name, f"{count['before']:,}", f"{count['now']:,}") for name, count in added])


_COUNTED: Final = {
    "unreadable": "of them could not be stored, and are listed above.",
    "newer": "of them are of a later version of failure-agent: replay them with its failctl.",
    "tooOld": "of them are about runs and jobs that were pruned, and were not stored again.",
}


def _write_reach(topics: Mapping[str, datetime | None], form: Form, out: TextIO) -> None:
    if form == "json":
        out.write(json.dumps({"topics": {name: _iso(first) for name, first in topics.items()}}, indent=2) + "\n")
    elif not any(topics.values()):
        out.write("No message would be read.\n")
    else:
        rows_of = [(name, "none" if first is None else _at(first)) for name, first in topics.items()]
        out.writelines(f"{text}\n" for text in ("Would read:", *table(_TOPICS, rows_of)))


def _at(moment: datetime | None) -> str:
    return "-" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
