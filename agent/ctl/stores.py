"""Opens the store for a command that reads, and turns its errors into those of ``failctl``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.console.exits import UnreachableError, UsageError
from agent.ctl.addresses import DEMO_STORE, find_address
from agent.settings.base import Settings
from agent.settings.scheduler import StoreSettings
from agent.store.engine import parse
from agent.store.errors import BadStoreAddress, StoreError
from agent.store.records.filters import BadQuestion
from agent.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddress:
    """Which store: as given, else as the scheduler's settings or the environment say, else the demo's."""

    url: str | None = None
    settings: Path | None = None

    def options(self) -> tuple[str, ...]:
        """Options by which another command finds the same store. An address with a password is not repeated."""
        url = () if self.url is None or parse(self.url).password is not None else ("--store", self.url)
        return url if self.settings is None else (*url, "--settings", str(self.settings))


class _Section(Settings):
    """The section of the scheduler's settings about the store."""

    store: StoreSettings


@contextmanager
def open_for_command(where: StoreAddress, environ: Mapping[str, str]) -> Iterator[Store]:
    """Give the open store. Raises UsageError and UnreachableError, also for errors of the store inside the block."""
    found = find_address(_Section, "store", url=where.url, file=where.settings, environ=environ, demo=DEMO_STORE).store
    try:
        with Store.attach(found.url, password_file=found.password_file) as store:
            yield store
    except (BadStoreAddress, BadQuestion) as error:
        raise UsageError(str(error)) from error
    except StoreError as error:
        raise UnreachableError(f"the store cannot be read: {error}") from error
