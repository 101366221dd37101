"""Corrections: what people say that a failure was. They come from no topic, so no replay makes or changes one."""

from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection

from agent.core.failure import Failure, Origin
from agent.lookout.store.documents import with_references
from agent.lookout.store.fitting import fitted
from agent.lookout.store.tables import correction_table as table
from agent.store.insert import insert

LONGEST_REASON: Final = 1_000
"""Characters."""


class Corrected(Struct, frozen=True, kw_only=True, gc=False):
    """What somebody says of a failure. ``retryable`` is ``None`` if they do not know."""

    category: str
    subcategory: str
    origin: Origin
    retryable: bool | None
    reason: str
    by: str
    at: datetime


class Place(Struct, frozen=True, kw_only=True, gc=False):
    """The failure that it is said of, and where its pod was."""

    job_id: str
    run_id: str
    failure_id: str
    namespace: str
    pod_name: str
    node: str


def store(connection: Connection, correction_id: str, corrected: Corrected, *, place: Place, failure: Failure) -> None:
    """Keep a correction, with all that is known of the failure."""
    said = failure.classification
    row = {
        "correction_id": correction_id,
        **asdict(place),
        **asdict(corrected),
        "origin": corrected.origin.value,
        "said_category": said.category,
        "said_subcategory": said.subcategory,
        "said_origin": said.origin.value,
    }
    insert(connection, table, [{**fitted(row), "info": with_references(failure)}])
