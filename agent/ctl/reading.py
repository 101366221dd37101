"""Where commands read records: the scheduler's API, if one was chosen, else the store.

Each is imported only if it is used: the API needs gRPC, the store SQLAlchemy, and both take long to import.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from agent.ctl.destination import StoreAddress
from agent.ctl.server import ServerChoice
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
    """Open the API or the store for reading. Raises the errors of ``failctl``, also inside the block."""
    address = None if where.url is not None or where.settings is not None else choice.address(environ)
    if address is None:
        from agent.ctl.store_reading import open_store  # noqa: PLC0415 - see above

        with open_store(where, environ) as stored:
            yield stored
        return
    from agent.ctl.api_reading import open_api  # noqa: PLC0415 - see above

    with open_api(address) as served:
        yield served
