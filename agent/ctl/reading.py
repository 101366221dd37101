"""Where commands read records and timelines: the API of the scheduler or of a Lookout, or the store.

Each is imported only if it is used: the scheduler's API needs gRPC, the store SQLAlchemy, and both take long to import.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from agent.ctl.asked import Asked
from agent.ctl.destination import StoreAddress
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
def open_reading(asked: Asked, environ: Mapping[str, str]) -> Iterator[Reading]:
    """Open what is asked. Raises the errors of ``failctl``, also inside the block."""
    if asked.lookout is not None:
        from agent.ctl.lookout_jobs import open_lookout  # noqa: PLC0415 - see above

        with open_lookout(asked.lookout) as seen:
            yield seen
    elif asked.server is not None:
        from agent.ctl.api_reading import open_api  # noqa: PLC0415 - see above

        with open_api(asked.server) as served:
            yield served
    else:
        from agent.ctl.store_reading import open_store  # noqa: PLC0415 - see above

        with open_store(asked.store or StoreAddress(), environ) as stored:
            yield stored
