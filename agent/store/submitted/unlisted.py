"""An open run whose recorded pod the latest list of its cluster does not have, and from which nothing follows yet.

The scheduler draws conclusions (``scheduler.schedule.inventories``); this says to people why it has not.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.waits import Doubt, NotListed
from agent.store import clusters, run_lists, sequences
from agent.store.run_lists import KeptPage
from agent.store.submitted.held import Held


def find(connection: Connection, found: Held) -> NotListed | None:
    """``None`` if the list has the pod, is older than the run's last change, or is not about its namespace."""
    run = found.job.open_run
    if run is None or run.uid is None:
        return None
    whole = run_lists.latest(connection, run.cluster)
    if whole is None or whole.as_of is None or whole.as_of <= found.changed[run.run_id]:
        return None
    pages = run_lists.pages(connection, whole.list_id)
    if not pages or _has(pages, run.uid) or not _is_listed(connection, run, found.submission.namespace):
        return None
    if not whole.concluded:
        return NotListed(as_of=whole.as_of, doubt=Doubt.UNREAD)
    lost = _is_any_lost(connection, run, topic=pages[0].topic)
    return NotListed(as_of=whole.as_of, doubt=Doubt.LOST if lost else Doubt.DEAD)


def _has(pages: Sequence[KeptPage], uid: str) -> bool:
    """Searched for as bytes: a list of 10,000 pods takes long to decode, and protobuf holds texts as they are."""
    return any(uid.encode() in page.payload for page in pages)


def _is_listed(connection: Connection, run: JobRun, namespace: str) -> bool:
    """Whether the agent lists the namespace, by what its cluster offers."""
    offers = (cluster.runs for cluster in clusters.everything(connection) if cluster.cluster_id == run.cluster)
    return any(offer is not None and namespace in offer.namespaces for offer in offers)


def _is_any_lost(connection: Connection, run: JobRun, *, topic: str) -> bool:
    """Whether a message of the topic that may be about the run does not come any more."""
    return any(
        gap.topic == topic and run.opened_at <= gap.noticed_at and (gap.lost_at is not None or not gap.position)
        for gap in sequences.gaps(connection)
    )
