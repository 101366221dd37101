"""Records from the store, whose errors are turned into those of ``failctl``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from agent.console.exits import NotFoundError, UnreachableError, UsageError
from agent.console.terminal import visible
from agent.ctl.addresses import DEMO_STORE, Owners, find_address
from agent.ctl.destination import StoreAddress
from agent.settings.base import Settings
from agent.settings.store import StoreSettings
from agent.store.errors import BadStoreAddress, StoreError
from agent.store.records.filters import BadQuestion
from agent.store.records.port import Found, Records
from agent.store.records.stored import StoredRecords
from agent.store.store import Store

if TYPE_CHECKING:
    from agent.settings.scheduler import SchedulerSettings
    from agent.store.recorded import Timeline


class _Section(Settings):
    """The section of the scheduler's settings about the store."""

    store: StoreSettings


def _models() -> Sequence[type["SchedulerSettings"]]:
    from agent.settings.scheduler import SchedulerSettings  # noqa: PLC0415 - as Owners says

    return [SchedulerSettings]


_OWNERS: Final = Owners("the scheduler", _models)


@contextmanager
def open_store(where: StoreAddress, environ: Mapping[str, str]) -> Iterator["StoreReading"]:
    """Open the store for reading. Raises UsageError and UnreachableError, also for its errors inside the block."""
    given = find_address(
        _Section, "store", url=where.url, file=where.settings, environ=environ, owners=_OWNERS, demo=DEMO_STORE
    )
    found = given.store
    try:
        with Store.attach(found.url, password_file=found.password_file) as store:
            yield StoreReading(store)
    except (BadStoreAddress, BadQuestion) as error:
        raise UsageError(str(error)) from error
    except StoreError as error:
        raise UnreachableError(f"the store cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class StoreReading:
    """Implements ``agent.ctl.reading.Reading`` by the store."""

    store: Store

    @property
    def records(self) -> Records:
        return StoredRecords(self.store)

    def timeline(self, named: Found, *, newest: int | None, now: datetime) -> "Timeline":
        from agent.store.submitted import whole  # noqa: PLC0415 - lists need none of what a timeline is made of

        with self.store.read() as connection:
            found = whole.find(connection, named.id, newest=newest, now=now)
        if found is None:
            raise NotFoundError(f"the store has no {named.kind.value} {visible(named.id)} any more")
        return found
