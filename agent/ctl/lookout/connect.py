"""Opens what a Lookout uses, and turns its errors into those of ``failctl``, which say how to fix them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.console.exits import FindingError, UnreachableError, UsageError
from agent.ctl.addresses import Owners, find_address
from agent.lookout.store.opening import attach_store
from agent.lookout.writer import OtherWriter, writing
from agent.settings.base import Settings
from agent.settings.broker import BrokerSettings
from agent.settings.lookout import LookoutSettings
from agent.settings.store import StoreSettings
from agent.store.errors import BadStoreAddress, StoreError, StoreOutdated, StoreUnreachable
from agent.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class LookoutAddress:
    """Whose broker and database: the settings of a Lookout, whose addresses the others override."""

    settings: Path | None = None
    broker: str | None = None
    database: str | None = None


class _Broker(Settings):
    """The section of the settings about the broker."""

    broker: BrokerSettings


class _Database(Settings):
    """The section of the settings about the database."""

    database: StoreSettings


def _models() -> Sequence[type[LookoutSettings]]:
    return [LookoutSettings]


_OWNERS: Final = Owners("a Lookout", _models)


def broker_of(where: LookoutAddress, environ: Mapping[str, str]) -> BrokerSettings:
    """Raises UsageError."""
    given = find_address(_Broker, "broker", url=where.broker, file=where.settings, environ=environ, owners=_OWNERS)
    return given.broker


def database_of(where: LookoutAddress, environ: Mapping[str, str]) -> StoreSettings:
    """Raises UsageError."""
    given = find_address(
        _Database, "database", url=where.database, file=where.settings, environ=environ, owners=_OWNERS
    )
    return given.database


@contextmanager
def open_database(settings: StoreSettings) -> Iterator[Store]:
    """A database that exists, to read. Raises UsageError and UnreachableError, also for its errors inside the block."""
    with explained(settings), attach_store(settings.url, password_file=settings.password_file) as store:
        yield store


@contextmanager
def open_to_store(settings: StoreSettings) -> Iterator[Store]:
    """The same to store in, as the process does: on SQLite only while no process does it.

    Raises UsageError, UnreachableError and FindingError, also for its errors inside the block.
    """
    # Attached first: the lock would make a file next to a database that does not exist.
    with open_database(settings) as store, explained(settings), writing(settings.url):
        yield store


@contextmanager
def explained(settings: StoreSettings) -> Iterator[None]:
    """Raise the errors of ``failctl`` for those of a database."""
    try:
        yield
    except BadStoreAddress as error:
        raise UsageError(str(error)) from error
    except OtherWriter as error:
        raise FindingError(f"{error}. Stop that process and start it again afterwards: {_KEPT}") from error
    except StoreError as error:
        fix = next((fix for kind, fix in _FIXES if isinstance(error, kind)), "")
        raise UnreachableError(f"the database {settings.url} cannot be used: {error}{fix}") from error


_KEPT: Final = "the broker keeps its messages meanwhile"
_MIGRATED: Final = (
    "; `failure-agent lookout` of this version makes and migrates tables when it starts, and tables of a later version "
    "need that version's failctl"
)
_MADE: Final = "; correct database.url, or start `failure-agent lookout`, which makes the database"
_FIXES: Final = ((StoreOutdated, _MIGRATED), (StoreUnreachable, _MADE))
