"""A list of the pods of runs, cut into pages that fit into messages. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent.core.run_event import ListedRun, RunsListed

MOST: Final = 500
"""Runs on a page: 0.2 MB as a rule, 1 MB with the longest names. Brokers take 5 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHead:
    """What all pages of one list have in common; ``list_id`` is one that no other list has."""

    cluster_id: str
    cluster: str
    list_id: str
    as_of: datetime | None
    listed_at: datetime


def pages_of(head: ListHead, runs: Sequence[ListedRun], *, at_most: int = MOST) -> Iterator[RunsListed]:
    """The pages in their order. Of a list without runs there is one, which says so."""
    pages = max(1, -(-len(runs) // at_most))
    for page in range(pages):
        yield RunsListed(
            event_id=f"{head.cluster_id}/list/{head.list_id}/{page}",
            cluster_id=head.cluster_id,
            cluster=head.cluster,
            list_id=head.list_id,
            page=page,
            pages=pages,
            as_of=head.as_of,
            listed_at=head.listed_at,
            runs=tuple(runs[page * at_most : (page + 1) * at_most]),
        )
