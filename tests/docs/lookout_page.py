"""A Lookout in a folder, as docs/lookout.md shows its commands: what was published and stored, and when."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Final

from agent.broker.eventlog import EventLog
from agent.broker.port import SubscriptionKind
from agent.broker.topics import JOB_EVENTS, heartbeat_topic
from agent.lookout.changes import Changes
from agent.lookout.ingest.handler import ingest
from agent.lookout.ingest.topics import SUBSCRIPTION
from agent.lookout.store.opening import open_store
from tests.lookout.upkeep.published import history, publish_all
from tests.scheduler.path import TOPIC
from tests.store.events import START

NOW: Final = START + timedelta(hours=5, minutes=10)
RUNS: Final = 4
LEFT: Final = 2
"""Messages that are not stored yet."""


def prepare(folder: Path, settings: str) -> None:
    """Write the settings, publish what a cluster and a scheduler say, and store most of it."""
    (folder / "lookout.yaml").write_text(settings, encoding="utf-8")
    with (
        closing(EventLog.open(f"{folder}/event-log.db", clock=lambda: NOW - timedelta(seconds=4))) as log,
        open_store(f"sqlite:///{folder}/lookout.db") as store,
    ):
        publish_all(log, history(RUNS))
        for topic, left in ((TOPIC, LEFT), (JOB_EVENTS, 0), (heartbeat_topic("east"), 0)):
            kind = SubscriptionKind.KEY_SHARED
            with closing(log.subscribe([topic], name=SUBSCRIPTION, kind=kind, consumer="c")) as subscription:
                found = subscription.receive(at_most=100, timeout=1)
                stored = found[: len(found) - left]
                ingest(store, stored, Changes())
                subscription.ack(stored)
