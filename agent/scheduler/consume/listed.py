"""Pages of lists of the pods of runs: they are kept until the list is whole, and the pods in them count as created.

What the phases of the pods say is left out: an agent that lists an ended pod may still gather evidence of its failure,
and whoever took the end from the list would decide without it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from agent.core.lifecycle.inventory import is_without_effect
from agent.core.run_event import Identity, ListedRun, RunCreated, RunEvent, RunsListed
from agent.store import run_lists
from agent.store.run_lists import KeptList, KeptPage
from agent.store.runs import ReceivedEvent
from agent.store.submitted import lookup
from agent.store.submitted.lookup import StoredRun
from agent.wire import events as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedPage:
    """A page, its bytes, and its place at the broker."""

    page: RunsListed
    payload: bytes
    topic: str
    position: str


def scopes(received: Iterable[ReceivedPage]) -> set[str]:
    """What to lock before pages are kept."""
    return {run_lists.scope(received_page.page.cluster_id) for received_page in received}


def created(connection: Connection, received: Iterable[ReceivedPage]) -> list[ReceivedEvent]:
    """The pods in pages to which something happens, each as if it had just been created."""
    return [event for received_page in received for event in _created(connection, received_page.page)]


def _created(connection: Connection, page: RunsListed) -> list[ReceivedEvent]:
    recorded = lookup.recorded(connection, {(page.cluster_id, run.pod.uid) for run in page.runs})
    return [
        ReceivedEvent(event=_event(page, run))
        for run in page.runs
        if _counts(page, run, recorded.get((page.cluster_id, run.pod.uid)))
    ]


def _counts(page: RunsListed, run: ListedRun, recorded: StoredRun | None) -> bool:
    """Whether the pod counts as created: of an unknown one with our gate, somebody must decide."""
    if recorded is None:
        return run.gated
    return is_without_effect(run, recorded.run, as_of=page.as_of, changed_at=recorded.changed_at)


def _event(page: RunsListed, run: ListedRun) -> RunEvent:
    return RunEvent(
        event_id=page.event_id,
        cluster_id=page.cluster_id,
        cluster=page.cluster,
        identity=Identity(job_id=run.job_id, run_id=run.run_id, queue=run.queue),
        pod=run.pod,
        occurred_at=page.listed_at,
        observed_at=page.listed_at,
        event=RunCreated(),
        gated=run.gated,
    )


def keep(connection: Connection, received: Sequence[ReceivedPage], *, now: datetime) -> None:
    """Keep pages, and the lists that they make whole, in a transaction that holds their ``scopes``."""
    for received_page in received:
        if run_lists.add(connection, _kept(received_page, now)):
            run_lists.replace(connection, _whole(received_page.page))


def _kept(received: ReceivedPage, now: datetime) -> KeptPage:
    page = received.page
    return KeptPage(
        list_id=page.list_id,
        page=page.page,
        pages=page.pages,
        cluster_id=page.cluster_id,
        payload=received.payload,
        topic=received.topic,
        position=received.position,
        received_at=now,
    )


def _whole(page: RunsListed) -> KeptList:
    return KeptList(
        cluster_id=page.cluster_id,
        cluster=page.cluster,
        list_id=page.list_id,
        as_of=page.as_of,
        listed_at=page.listed_at,
    )


def pods_of(pages: Iterable[KeptPage]) -> dict[str, ListedRun]:
    """All pods of a list, by uid."""
    decoded = (wire.decode_any(page.payload) for page in pages)
    listed = [page for page in decoded if isinstance(page, RunsListed)]
    return {run.pod.uid: run for page in listed for run in page.runs}
