"""Reading a topic for what happened to runs: agents send what they classify by, and lists, on it, too."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from agent.broker.connect import connect
from agent.core.run_event import RunEvent, RunsListed
from agent.wire.events import decode_any


def published(log: Path, topic: str) -> list[bytes]:
    """Every message on a topic of an event log, from the first on. It leaves no subscription: each costs the log."""
    with closing(connect(f"sqlite:///{log}")) as broker:
        reader, found = broker.reader(topic), list[bytes]()
        while some := reader.read(at_most=500):
            found.extend(delivery.message.payload for delivery in some)
        return found


def is_about_a_run(payload: bytes) -> bool:
    return isinstance(decode_any(payload), RunEvent)


def run_events(payloads: Iterable[bytes]) -> list[RunEvent]:
    """The events of runs, in order."""
    return [event for payload in payloads if isinstance(event := decode_any(payload), RunEvent)]


def run_lists(payloads: Iterable[bytes]) -> list[RunsListed]:
    """The pages of lists of the pods of runs, in order."""
    return [page for payload in payloads if isinstance(page := decode_any(payload), RunsListed)]
