from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser

from agent.broker.port import Message
from agent.broker.topics import heartbeat_topic
from agent.core.job_event import JobEvent, JobSubmitted
from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import open_store
from agent.wire.heartbeat import encode
from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.served import ServedLookout
from tests.lookout.pages.stories.kinds import NAMESPACES
from tests.lookout.pages.stories.telling import Story
from tests.lookout.pages.stories.week import heartbeat, store_week

Tells = Callable[[str], Story]
"""Begins a story of this name, in a window of its own."""


@dataclass(frozen=True, slots=True)
class Week:
    """A Lookout over a week, and what was reported in it."""

    lookout: ServedLookout
    entries: list[Entry]

    @property
    def submitted(self) -> dict[str, datetime]:
        """When each job was submitted."""
        events = (entry for entry in self.entries if isinstance(entry, JobEvent))
        return {event.job_id: event.at for event in events if isinstance(event.event, JobSubmitted)}

    def beat(self) -> None:
        """Have the agents of both clusters say that they are alive."""
        now = datetime.now(UTC)
        for cluster in NAMESPACES:
            message = Message(key=cluster, payload=encode(heartbeat(cluster, now)), event_time=now)
            self.lookout.publish([message], topic=heartbeat_topic(cluster))


@pytest.fixture(scope="package")
def week(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Week]:
    """The week until now, for all stories. None without a browser."""
    assert browser.is_connected()
    folder = tmp_path_factory.mktemp("week")
    with open_store(f"sqlite:///{folder / 'store.db'}") as store:
        entries = store_week(store, datetime.now(UTC))
    served = ServedLookout(folder)
    served.start()
    yield Week(served, entries)
    served.end()


@pytest.fixture
def tell(week: Week, open_visit: Opens) -> Tells:
    return lambda name: Story(open_visit(week.lookout), name)
