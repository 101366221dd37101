"""Opens the store for a command that reads, and turns its errors into those of ``failctl``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.console.exits import NotFoundError, UnreachableError, UsageError
from agent.console.terminal import visible
from agent.ctl.addresses import DEMO_STORE, find_address
from agent.settings.base import Settings
from agent.settings.scheduler import StoreSettings
from agent.store.engine import parse
from agent.store.errors import BadStoreAddress, StoreError
from agent.store.records.naming import SHORTEST
from agent.store.records.port import Ambiguous, BadQuestion, Found, NotFound, Records
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


def find_one(records: Records, identifier: str) -> Found:
    """The one job or run with this name. Raises NotFoundError, which lists some matches if there are several."""
    found, shown = records.named(identifier), visible(identifier)
    if isinstance(found, Found):
        return found
    if isinstance(found, NotFound):
        why = f"; give {SHORTEST} characters of an id or more" if found.too_short else ""
        raise NotFoundError(f"the store has no job, no run and no pod {shown}{why}")
    raise NotFoundError(_several(found, shown), problems=[_problem(found, at) for at in range(len(found.candidates))])


def _several(found: Ambiguous, shown: str) -> str:
    count = f"{found.count:,}{' or more' if found.or_more else ''}"
    if found.count > len(found.candidates):
        count += ", of which these are some"
    lines = [f"{one.kind.value} {visible(one.id)}" for one in found.candidates]
    return "\n  ".join([f"several fit {shown}: {count}", *lines])


def _problem(found: Ambiguous, at: int) -> dict[str, object]:
    one = found.candidates[at]
    return {"kind": one.kind.value, "id": one.id, "jobId": one.job_id}
