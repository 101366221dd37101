"""What is found, as JSON has it: the names are those by which people filter."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")


class Shape(BaseModel):
    """A kind of object. Its fields are named as columns are, and in JSON as people write them.

    Objects are made of rows without checking them: the database has what it should.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> dict[str, Any]:
        """The object of a row that has all fields."""
        return {name: row[field] for field, name in _names(cls)}


@cache
def _names(shape: type[Shape]) -> tuple[tuple[str, str], ...]:
    return tuple((name, field.alias or name) for name, field in shape.model_fields.items())


class Run(Shape):
    """A run. Texts that are not known are empty. What is said of a failure is null or empty unless it failed."""

    run_id: str
    job_id: str
    queue: str
    job_set: str
    owner: str
    namespace: str
    gang_id: str
    cluster: str
    cluster_id: str
    node: str
    pod_name: str
    pod_uid: str
    attempt: int | None
    index: int | None
    state: str
    first_at: datetime
    leased_at: datetime | None
    pending_at: datetime | None
    running_at: datetime | None
    succeeded_at: datetime | None
    rejected_at: datetime | None
    rejection: str
    failure_id: str | None = Field(description="The event that reported why it failed.")
    failed_at: datetime | None
    occurrence: str
    category: str
    subcategory: str
    origin: str
    detail: dict[str, str] | None
    grade: str | None
    corroborated: bool | None = Field(
        description="Whether a sign of the system confirms that infrastructure or the platform is to blame; null where "
        "neither is, or where it is not known."
    )
    exit_code: int | None
    container: str
    reason: str
    mechanism: str
    key_line: str
    fingerprint: str
    user_code_ran: bool | None
    action: str = Field(description="The latest verdict.")
    verdict_reason: str
    policy: str
    rule: str
    decided_at: datetime | None
    decided_on: str = Field(description="The event of the failure on which that verdict was made.")
    not_before: datetime | None = Field(description="When the next run may start, by that verdict.")
    sanitized: list[str] = Field(description="The columns whose text was cut.")


class FailureInfo(Shape):
    """Why a run failed, in the words of Armada's proposal."""

    exit_code: int | None
    termination_message: str = Field(description="Its first 4,000 characters.")
    categories: list[str] = Field(description="All that it matched, the first one first.")
    container_name: str


class RunOfJob(Run):
    """A run of a job."""

    failure_info: FailureInfo | None = Field(description="Null unless it failed.")


class Job(Shape):
    """A job and its latest runs, the latest first."""

    job_id: str
    name: str
    queue: str
    job_set: str
    owner: str
    namespace: str
    gang_id: str
    client_id: str
    retry_policies: str
    priority: float | None
    first_at: datetime
    submitted_at: datetime | None
    state: str | None = Field(description="Of the record; null for a job that nobody submitted.")
    state_at: datetime | None
    ended_by: str | None
    ended_at: datetime | None
    observed: str = Field(
        description="By its latest run: running, succeeded, recovered, waiting (submitted jobs only) or still-failed."
    )
    run_count: int
    failed_run_count: int
    runs: list[RunOfJob] = Field(description="At most the latest ten.")


class Count(Shape):
    """How many rows a list has."""

    number: int
    more: bool = Field(description="Whether there are more than that.")
    text: str = Field(description="As people read it: `10,000+`.")


class Page(Shape, Generic[Item]):
    """A page of a list, and the window of time that it covers."""

    items: list[Item]
    next: str | None = Field(description="The `after` of the next page; null at the end.")
    since: datetime | None
    until: datetime | None
    sort: str
    count: Count | None = Field(description="Null unless it was asked for.")


class Group(Shape):
    """Rows with one value of a column, by the columns below. The value is null or empty for those that have none."""

    value: str | int | bool | None
    count: int
    failed: int = Field(description="Those that failed; of jobs those of which a run did.")
    states: dict[str, int] = Field(
        description="How many are in which state; of jobs that of the record, if it has one."
    )
    origins: dict[str, int] = Field(description="How many failed for which origin; of jobs that of the latest failure.")
    groups: "list[Group]" = Field(description="By the next column, the most frequent first.")
    left_out: int = Field(description="Groups that are not listed: more than the limit.")


class Counted(Shape):
    """What was counted, and from when to when."""

    since: datetime
    until: datetime
    base: str = Field(
        description="`rows`, by the time of the list; or `rollups`: runs that ended, by whole hours, those before the "
        "rows were pruned among them."
    )


class Groups(Group, Counted):
    """All rows, by the first column, and so on."""

    by: list[str]


class FacetValue(Shape):
    """A value of a column, and how many rows have it."""

    value: str | int | bool | None
    count: int


class Facet(Counted):
    """The values of a column in rows for which the conditions on other columns hold, the most frequent first."""

    values: list[FacetValue]
    left_out: int = Field(description="Values that are not listed: more than the limit.")


class Facets(Shape):
    """The values of columns."""

    facets: dict[str, Facet] = Field(description="By column.")


class Point(Shape):
    """An hour or a day, in which runs ended."""

    at: datetime = Field(description="When it begins.")
    runs: int
    failures: int


class Line(Shape):
    """The points of one value."""

    value: str
    runs: int
    failures: int
    points: list[Point]


class Series(Counted):
    """Lines over time, the one with most failures first."""

    step: str
    zone: str
    lines: list[Line]
    others: Line = Field(description="All other lines together.")
    others_count: int


class Top(Shape):
    """A node, a queue or a category, with the runs that ended in the window."""

    value: str
    cluster: str | None = Field(description="Of a node.")
    runs: int
    failures: int
    rate: float | None = Field(description="Failures of all runs; null of a category, which only failed runs have.")
    at_least: float | None = Field(
        description="The rate that it has at least, with 97.5 % confidence (Wilson): by it those with many runs and "
        "those with few can be compared."
    )
    share: float = Field(description="Of all failures in the window.")
    origins: dict[str, int] | None = Field(description="How many failed for which origin, of a category.")


class Tops(Counted):
    """The worst first."""

    least_runs: int
    items: list[Top]
    left_out: int = Field(description="Those that are not listed: more than the limit.")
    too_few: int = Field(description="Those that had fewer runs than `leastRuns`, of which nothing is said.")
