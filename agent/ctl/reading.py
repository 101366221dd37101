"""Where commands read records: the API of a Lookout or of the scheduler, if one was chosen, else the store.

Each is imported only if it is used: the scheduler's API needs gRPC, the store SQLAlchemy, and both take long to import.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TextIO

from agent.console.exits import UsageError
from agent.ctl.destination import StoreAddress
from agent.ctl.server import DEFAULT_LOOKOUT, ServerChoice
from agent.store.records.port import Found, Records

if TYPE_CHECKING:
    from agent.store.recorded import Timeline


class Reading(Protocol):
    """Records, and the timelines of jobs."""

    @property
    def records(self) -> Records: ...

    def timeline(self, named: Found, *, newest: int | None, now: datetime) -> "Timeline":
        """A job's timeline, as it stands now. Raises NotFoundError if it is gone."""
        ...


@contextmanager
def open_reading(where: StoreAddress, choice: ServerChoice, environ: Mapping[str, str]) -> Iterator[Reading]:
    """Open the scheduler's API or the store. Raises the errors of ``failctl``, also inside the block."""
    address = None if where.is_given else choice.address(environ)
    if address is None:
        from agent.ctl.store_reading import open_store  # noqa: PLC0415 - see above

        with open_store(where, environ) as stored:
            yield stored
        return
    from agent.ctl.api_reading import open_api  # noqa: PLC0415 - see above

    with open_api(address) as served:
        yield served


@contextmanager
def open_records(
    lookout: str | None, where: StoreAddress, choice: ServerChoice, environ: Mapping[str, str]
) -> Iterator[Records]:
    """Open this Lookout for its lists, else what ``open_reading`` opens. Raises as that does."""
    if lookout is None:
        with open_reading(where, choice, environ) as reading:
            yield reading.records
        return
    from agent.ctl.lookout_reading import open_lookout  # noqa: PLC0415 - see above

    with open_lookout(lookout) as records:
        yield records


def lookout_for(where: StoreAddress, choice: ServerChoice, environ: Mapping[str, str], *, err: TextIO) -> str | None:
    """The Lookout to ask for lists; ``None`` for the scheduler or the store. Raises UsageError and NotFoundError."""
    if where.is_given:
        if choice.lookout is not None:
            raise UsageError("--lookout names a Lookout, --store and --settings a store; give one of them")
        return None
    addresses = choice.addresses(environ)
    return addresses.lookout if addresses.is_any else _of_this_machine(environ, err)


def _of_this_machine(environ: Mapping[str, str], err: TextIO) -> str | None:
    """The local Lookout, if no store would be found. If both are there, people at a terminal see which is read."""
    from agent.ctl.addresses import DEMO_STORE  # noqa: PLC0415 - see above
    from agent.settings.environment import PREFIX  # noqa: PLC0415 - see above

    has_store = bool(environ.get(f"{PREFIX}STORE__URL")) or DEMO_STORE.is_file()
    if has_store and not err.isatty():
        return None
    from agent.ctl.lookout_api import answers  # noqa: PLC0415 - see above

    if not answers(DEFAULT_LOOKOUT):
        return None
    if err.isatty():
        read = "This is from the scheduler's store" if has_store else f"This is from the Lookout at {DEFAULT_LOOKOUT}"
        other = f"; --lookout {DEFAULT_LOOKOUT} asks Lookout" if has_store else ""
        err.write(f"{read}{other}.\n")
    return None if has_store else DEFAULT_LOOKOUT
