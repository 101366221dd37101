"""What ``failctl get`` was asked, as its options say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agent.console.exits import UsageError
from agent.console.options import ListForm
from agent.ctl.counts import CountBy, read_count_by
from agent.ctl.destination import StoreAddress
from agent.ctl.server import ServerChoice
from agent.ctl.times import read_time
from agent.store.records.columns import list_of, read_sort
from agent.store.records.filters import LISTS, AnyFilter, BadQuestion, Part, filters_of


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRequest:
    """The query, the times as typed, what to ask, and the form of the output.

    ``count_by``: columns by which records are counted instead of listed. ``sort`` is as in ``Part``.
    """

    wanted: AnyFilter
    since: str | None = None
    until: str | None = None
    limit: int = 50
    after: str | None = None
    sort: str | None = None
    count_by: CountBy | None = None
    where: StoreAddress = field(default_factory=StoreAddress)
    server: ServerChoice = field(default_factory=ServerChoice)
    output: ListForm = "table"
    unfold: bool = False

    @property
    def kind(self) -> str:
        """The list."""
        return list_of(self.wanted)

    def part(self, now: datetime) -> Part:
        """The part of the list that is asked for; its limit is that of a page. Raises UsageError."""
        part = Part(
            since=read_time("--since", self.since, now=now),
            until=read_time("--until", self.until, now=now),
            after=self.after,
            sort=self.sort,
        )
        if part.since is not None and part.until is not None and part.since >= part.until:
            raise UsageError("--since is not before --until, so nothing can match")
        return part


def read_request(kind: str, given: Mapping[str, Any]) -> GetRequest:
    """The request of options by name. Raises UsageError."""
    asked = [option for option in filters_of(kind) if given[option.name] is not None]
    try:
        values: dict[str, Any] = {option.name: option.read(given[option.name]) for option in asked}
    except BadQuestion as error:
        raise UsageError(str(error)) from error
    return GetRequest(
        wanted=LISTS[kind](**values),
        unfold=given.get("unfold") or False,
        where=StoreAddress(url=given["store"], settings=given["settings"]),
        server=ServerChoice(**{name: given.get(name) for name in ("server", "context", "lookout")}),
        **_columns(kind, given),
        **{name: given[name] for name in ("since", "until", "limit", "after", "output")},
    )


def _columns(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """By what records are sorted or counted. Raises UsageError."""
    sort, count_by = given.get("sort_by"), given.get("count_by")
    if count_by is None:
        return {"sort": None if sort is None else _sort(kind, sort)}
    others = {name: given.get(name) for name in ("sort_by", "after", "watch", "unfold")}
    return {"count_by": read_count_by(kind, count_by, others=others)}


def _sort(kind: str, text: str) -> str:
    try:
        return read_sort(kind, text)
    except BadQuestion as error:
        raise UsageError(f"--sort-by {error}") from error
