"""What may be asked: the lists, and the columns by which each is filtered, sorted and grouped.

What the scheduler's lists have, too, is described and read by ``agent.store.records.filters``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import EnumType, StrEnum
from typing import Any, Final, get_origin

from agent.core.failure import Mechanism, Occurrence
from agent.store.records.filters import Filter, all_filters


class Kind(StrEnum):
    """What the values of a column are. A ``detail`` is written KEY=VALUE; a ``match`` is in a table of its own."""

    TEXT = "text"
    CHOICE = "choice"
    NUMBER = "number"
    TIME = "time"
    YES_NO = "true or false"
    DETAIL = "detail"
    MATCH = "match"


class Operator(StrEnum):
    """How a column is compared. ``EQUALS`` is not written: ``queue=ml``; repeated, any of the values fits."""

    EQUALS = ""
    STARTS_WITH = "startsWith"
    CONTAINS = "contains"
    GTE = "gte"
    GT = "gt"
    LTE = "lte"
    LT = "lt"
    EXISTS = "exists"


_RANGE: Final = (Operator.GTE, Operator.GT, Operator.LTE, Operator.LT)
_OPERATORS: Final[Mapping[Kind, Sequence[Operator]]] = {
    Kind.TEXT: (Operator.EQUALS, Operator.STARTS_WITH, Operator.EXISTS),
    Kind.CHOICE: (Operator.EQUALS, Operator.EXISTS),
    Kind.NUMBER: (Operator.EQUALS, *_RANGE, Operator.EXISTS),
    Kind.TIME: (*_RANGE, Operator.EXISTS),
    Kind.YES_NO: (Operator.EQUALS, Operator.EXISTS),
    Kind.DETAIL: (Operator.EQUALS,),
    Kind.MATCH: (Operator.EQUALS,),
}


class Place(StrEnum):
    """Whose row has a column."""

    JOB = "job"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its name in addresses and JSON, and the one in the table that has it.

    ``help`` is what it finds. ``values`` are those of a choice, ``read`` makes a value of what was typed and raises
    BadQuestion. ``is_searched``: a text index answers what it contains. ``is_failure``: only a run that failed has it.
    """

    name: str
    field: str
    kind: Kind
    help: str
    place: Place = Place.RUN
    values: Sequence[str] = ()
    read: Callable[[Any], object] | None = None
    is_searched: bool = False
    is_failure: bool = False

    @property
    def operators(self) -> Sequence[Operator]:
        """How it may be compared."""
        operators = _OPERATORS[self.kind]
        return (*operators, Operator.CONTAINS) if self.is_searched else operators

    def parameter(self, operator: Operator) -> str:
        """How an address writes it: ``node.startsWith``."""
        return f"{self.name}.{operator}" if operator else self.name


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _kind_of(value: Any) -> Kind:  # noqa: ANN401 - a type
    if get_origin(value) is tuple:
        return Kind.DETAIL
    if isinstance(value, EnumType):
        return Kind.CHOICE
    return Kind.NUMBER if value is int else Kind.TEXT


_FILTERS: Final[Mapping[str, Filter]] = {found.name: found for found in all_filters()}


def _shared(name: str, *, field: str = "", **more: Any) -> Column:
    """A column that the scheduler's lists have."""
    found = _FILTERS[name]
    is_choice = isinstance(found.value, EnumType)
    return Column(
        name=_camel(name),
        field=field or name,
        kind=_kind_of(found.value),
        help=found.asked.help,
        values=tuple(found.value) if is_choice else (),
        read=found.asked.read,
        **more,
    )


def _own(field: str, kind: Kind, text: str, **more: Any) -> Column:
    """A column that only Lookout has."""
    return Column(**{"name": _camel(field), "field": field, "kind": kind, "help": text, **more})


RUN_STATES: Final = ("failed", "succeeded", "running", "pending", "leased", "rejected", "unknown")

_OWNERSHIP: Final = (
    *map(_shared, ("queue", "job_set", "namespace", "owner")),
    _own("gang_id", Kind.TEXT, "Of this gang."),
)
_WHERE: Final = (
    *map(_shared, ("cluster", "node")),
    _own("pod_name", Kind.TEXT, "Whose pod has this name."),
    _own("run_id", Kind.TEXT, "The run with this id."),
    _own("attempt", Kind.NUMBER, "This attempt of the job; the first is 0."),
)
_FAILURE: Final = (
    _shared("category", is_failure=True),
    _own("categories", Kind.MATCH, "Matched this category, whether first or not.", is_failure=True),
    _own("subcategory", Kind.TEXT, "Of this subcategory, of whatever category.", is_failure=True),
    *(_shared(name, is_failure=True) for name in ("origin", "grade", "exit_code", "container")),
    _own("reason", Kind.TEXT, "With this reason, as Kubernetes has it: OOMKilled, Error, Evicted.", is_failure=True),
    _own("mechanism", Kind.CHOICE, "Ended in this way.", values=tuple(Mechanism), is_failure=True),
    _own("occurrence", Kind.CHOICE, "Of this occurrence.", values=tuple(Occurrence), is_failure=True),
    _own("key_line", Kind.TEXT, "With this line of its log or message, which decided.", is_failure=True),
    _shared("fingerprint", is_failure=True),
    _own("user_code_ran", Kind.YES_NO, "Whether the user's code had run.", is_failure=True),
    _shared("detail", is_failure=True),
    _own("failed_at", Kind.TIME, "When it failed.", is_failure=True),
)
_VERDICT: Final = (
    _shared("action", field="verdict"),
    _own("verdict_reason", Kind.TEXT, "Why the verdict is so: the kind of reason."),
    _own("policy", Kind.TEXT, "Decided by this retry policy."),
    _own("rule", Kind.TEXT, "Decided by this rule of a policy."),
)
_OF_RUN: Final = (*_WHERE, *_FAILURE, *_VERDICT)

_RUN_STATE: Final = _own("state", Kind.CHOICE, f"Of a run: {', '.join(RUN_STATES)}.", values=RUN_STATES)
_RUN_TIME: Final = _own("first_at", Kind.TIME, "When the run was first heard of.")
_JOB_ID: Final = _own("job_id", Kind.TEXT, "Of the job with this id.")
_SEARCHED: Final = ("key_line", "pod_name")


def _searched(columns: Sequence[Column], fields: Sequence[str]) -> tuple[Column, ...]:
    return tuple(replace(column, is_searched=column.field in fields) for column in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """A list: its columns, the one of its time, by which it is sorted unless asked otherwise, and what else it has."""

    name: str
    columns: Sequence[Column]
    time: str
    sorts: Sequence[str]
    groups: Sequence[str]

    def column(self, name: str) -> Column | None:
        """The column with this name."""
        return next((column for column in self.columns if column.name == name), None)

    def named(self, name: str) -> Column:
        """The column with this name, which the list has."""
        return next(column for column in self.columns if column.name == name)


_GROUPS_OF_FAILURES: Final = (
    *(
        "category",
        "subcategory",
        "origin",
        "queue",
        "cluster",
        "node",
        "namespace",
        "owner",
        "jobSet",
        "exitCode",
        "container",
    ),
    *("reason", "mechanism", "occurrence", "grade", "fingerprint", "userCodeRan", "action", "policy", "rule"),
)

RUNS: Final = List(
    name="runs",
    columns=(
        *_OWNERSHIP,
        _JOB_ID,
        _RUN_STATE,
        _RUN_TIME,
        *_searched(_OF_RUN, ("key_line",)),
    ),
    time="firstAt",
    sorts=("firstAt", "queue", "node"),
    groups=("state", *_GROUPS_OF_FAILURES),
)
FAILURES: Final = List(
    name="failures",
    columns=(*_OWNERSHIP, _JOB_ID, _RUN_TIME, *_searched(_OF_RUN, _SEARCHED)),
    time="failedAt",
    sorts=("failedAt", "category", "queue", "node"),
    groups=_GROUPS_OF_FAILURES,
)
JOBS: Final = List(
    name="jobs",
    columns=(
        *(replace(column, place=Place.JOB) for column in (*_OWNERSHIP, _JOB_ID)),
        _own("name", Kind.TEXT, "With this name.", place=Place.JOB),
        _own("client_id", Kind.TEXT, "Submitted under this client id.", place=Place.JOB),
        _shared("state", place=Place.JOB),
        _own("first_at", Kind.TIME, "When the job was first heard of.", place=Place.JOB),
        _own("ended_at", Kind.TIME, "When the job ended.", place=Place.JOB),
        *_searched(_OF_RUN, ("key_line",)),
    ),
    time="firstAt",
    sorts=("firstAt", "queue", "jobSet", "owner"),
    groups=(
        *("queue", "jobSet", "owner", "namespace", "state", "category", "subcategory", "origin", "cluster", "node"),
        *("exitCode", "container", "reason", "action", "policy", "rule"),
    ),
)

LISTS: Final[Mapping[str, List]] = {found.name: found for found in (JOBS, RUNS, FAILURES)}
