"""Queries: which records, and which part of a list. No database here."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Self, get_args, get_origin, get_type_hints

from msgspec import Struct

from agent.core.failure import Detail, DetailKey, Grade, Origin
from agent.core.job_state import JobState
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction

MOST = 1_000
"""Records of one page."""

_FINGERPRINT: Final = re.compile(r"v[0-9]{1,6}:[0-9a-f]{16}")


class BadQuestion(Exception):
    """The question cannot be asked so; the text says what is wrong with it."""


class JobCondition(StrEnum):
    """What one may ask jobs for. ``any-failure``: a run failed, whatever came of it; else a state of the same name.

    The first four are about what was observed, whoever submitted the job; from ``queued`` on it is the state that a
    record has.
    """

    ANY_FAILURE = "any-failure"
    STILL_FAILED = JobState.STILL_FAILED.value
    RECOVERED = JobState.RECOVERED.value
    WAITING = JobState.WAITING.value
    QUEUED = State.QUEUED.value
    LEASED = State.LEASED.value
    PENDING = State.PENDING.value
    RUNNING = State.RUNNING.value
    RETRY_WAITING = State.RETRY_WAITING.value
    STOPPING = State.STOPPING.value
    SUCCEEDED = State.SUCCEEDED.value
    FAILED = State.FAILED.value
    CANCELLED = State.CANCELLED.value


OBSERVED: Final = frozenset(
    {JobCondition.ANY_FAILURE, JobCondition.STILL_FAILED, JobCondition.RECOVERED, JobCondition.WAITING}
)
"""The conditions on what agents reported of a job."""


class CategoryName(Struct, frozen=True):
    """A category, or one of its subcategories: ``memory`` or ``memory/limit``."""

    category: str
    subcategory: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises BadQuestion."""
        category, slash, subcategory = text.partition("/")
        if not category or (slash and not subcategory):
            raise BadQuestion(f"not a category: {text!r}; write CATEGORY or CATEGORY/SUBCATEGORY")
        return cls(category, subcategory if slash else None)


def read_details(texts: Iterable[str]) -> tuple[Detail, ...]:
    """Details as ``KEY=VALUE``, in the order of the keys. Raises BadQuestion."""
    values: dict[DetailKey, str] = {}
    for detail in map(_read_detail, texts):
        if values.setdefault(detail.key, detail.value) != detail.value:
            both = " and ".join(map(repr, sorted((values[detail.key], detail.value))))
            raise BadQuestion(f"{detail.key}: a failure has one value of it, not both {both}")
    return tuple(Detail(key=key, value=values[key]) for key in DetailKey if key in values)


def _read_detail(text: str) -> Detail:
    key, _, value = text.partition("=")
    if key not in list(DetailKey) or not value:
        raise BadQuestion(f"not a detail: {text!r}; write KEY=VALUE, where KEY is {_any_of(DetailKey)}")
    return Detail(key=DetailKey(key), value=value)


def read_fingerprint(text: str) -> str:
    """The same text. Raises BadQuestion for what is no fingerprint, of whatever version."""
    if not _FINGERPRINT.fullmatch(text):
        raise BadQuestion(f"not a fingerprint: {text!r}; write it as in v1:9f86d081884c7d65")
    return text


def _any_of(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}"


@dataclass(frozen=True, slots=True)
class Asked:
    """How people ask for a filter: what ``--help`` and the docs say of it, and how they name its value.

    ``value`` is empty where the help lists the values, which are those of an enumeration. ``short`` is a short option.
    ``read`` makes the value of the text that was typed, or, where the value is a tuple, of the texts of all such
    options; it raises BadQuestion. Without it, what was typed is the value.
    """

    help: str
    value: str = ""
    short: str = ""
    read: Callable[[Any], object] | None = None


Node = Annotated[str | None, Asked("On this node.", "NAME")]
Action = Annotated[VerdictAction | None, Asked("The verdict.")]
Category = Annotated[
    CategoryName | None, Asked("Of this category, or CATEGORY/SUBCATEGORY.", "NAME", read=CategoryName.parse)
]
Blamed = Annotated[Origin | None, Asked("Who caused the failure: infra is the node, user the job.")]
Graded = Annotated[
    Grade | None, Asked("How well the advice is known. Failures that have no grade are in no such list.")
]
ExitCode = Annotated[int | None, Asked("With this exit code.", "NUMBER")]
Container = Annotated[str | None, Asked("Of this container.", "NAME")]


class _Owned(Struct, frozen=True, kw_only=True):
    """What every record has."""

    queue: Annotated[str | None, Asked("Of this queue.", "NAME")] = None
    job_set: Annotated[str | None, Asked("Of this job set.", "NAME")] = None
    owner: Annotated[str | None, Asked("Submitted by this user.", "NAME")] = None
    cluster: Annotated[str | None, Asked("In this cluster.", "NAME")] = None
    namespace: Annotated[str | None, Asked("In this namespace.", "NAME", short="-n")] = None


class _Failed(_Owned, frozen=True, kw_only=True):
    """What every failure has."""

    category: Category = None
    origin: Blamed = None
    grade: Graded = None
    exit_code: ExitCode = None
    container: Container = None


class JobFilter(_Failed, frozen=True, kw_only=True):
    """Jobs: ``cluster``, ``namespace`` and ``node`` of the latest run, ``action`` of the verdict on it.

    ``category`` to ``container`` are of the failure that was decided last.
    """

    node: Node = None
    action: Action = None
    state: Annotated[
        JobCondition | None,
        Asked(
            f"The state of the job: {_any_of(state for state in JobCondition if state in OBSERVED)}, by what was "
            f"observed; or {_any_of(state for state in JobCondition if state not in OBSERVED)}.",
            "STATE",
        ),
    ] = None


class RunFilter(_Owned, frozen=True, kw_only=True):
    """Runs; ``node`` is the one that the pod of a run was on."""

    node: Node = None


class FailureFilter(_Failed, frozen=True, kw_only=True):
    """Failures, amendments and restarts in place among them; those with all of ``detail``."""

    node: Node = None
    fingerprint: Annotated[
        str | None, Asked("With this fingerprint: the same failure.", "v1:DIGITS", read=read_fingerprint)
    ] = None
    detail: Annotated[
        tuple[Detail, ...],
        Asked(
            "With this detail; may be repeated, and all must hold. The value must be the whole one. "
            f"KEY is {_any_of(DetailKey)}.",
            "KEY=VALUE",
            read=read_details,
        ),
    ] = ()


class VerdictFilter(FailureFilter, frozen=True, kw_only=True):
    """Verdicts, by the failures they were made on."""

    action: Action = None


class PodFilter(Struct, frozen=True, kw_only=True):
    """Pods of files and of a cluster, of which no store knows: ``failctl classify``. ``owner`` is the workload."""

    category: Category = None
    origin: Blamed = None
    grade: Graded = None
    exit_code: ExitCode = None
    container: Container = None
    node: Node = None
    owner: Annotated[
        str | None,
        Asked("Of this workload: the Job, JobSet, Deployment or other owner that made the pod.", "[KIND/]NAME"),
    ] = None


AnyFilter = JobFilter | RunFilter | FailureFilter | VerdictFilter


LISTS: Final[Mapping[str, type[AnyFilter]]] = {
    "jobs": JobFilter,
    "runs": RunFilter,
    "failures": FailureFilter,
    "verdicts": VerdictFilter,
}
"""Each list, and the filters that it has: the fields of the type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A filter: its name, the type of its value, and how it is asked. The API calls it by its name."""

    name: str
    value: Any
    asked: Asked

    @property
    def options(self) -> Sequence[str]:
        """How the command line calls it."""
        long = f"--{self.name.replace('_', '-')}"
        return (self.asked.short, long) if self.asked.short else (long,)

    @property
    def typed(self) -> Any:  # noqa: ANN401 - a type, which may be generic
        """The type of what people type: of the texts that are read, else of the value."""
        if get_origin(self.value) is tuple:
            return list[str]
        return self.value if self.asked.read is None else str

    def read(self, typed: Any) -> object:  # noqa: ANN401 - of the type above
        """The value of what was typed. Raises BadQuestion."""
        return (self.asked.read or self.value)(typed)


def filters_of(name: str) -> Sequence[Filter]:
    """The filters of a list."""
    return [field for field in all_filters() if field.name in LISTS[name].__struct_fields__]


def filters_of_pods() -> Sequence[Filter]:
    """The filters of ``failctl classify``."""
    return _filters(PodFilter)


def all_filters() -> Sequence[Filter]:
    """The filters of all lists, in the order of help and docs: those of runs first."""
    return _filters(RunFilter, FailureFilter, VerdictFilter, JobFilter)


def _filters(*wanted: type[Struct]) -> Sequence[Filter]:
    hints: dict[str, Any] = {}
    for kind in wanted:
        hints = {**hints, **get_type_hints(kind, include_extras=True)}
    return [_filter(name, hint) for name, hint in hints.items()]


def _filter(name: str, hint: Any) -> Filter:  # noqa: ANN401 - an annotated type
    form, asked = get_args(hint)
    value = form if get_origin(form) is tuple else get_args(form)[0]
    return Filter(name=name, value=value, asked=asked)


class Part(Struct, frozen=True, kw_only=True):
    """Which part of a list: from ``since`` on, before ``until``, after a cursor; at most ``limit`` records.

    ``sort`` is the column by which it is sorted, ``-node`` for the last first. Records that are equal in it are sorted
    by time, the same way. ``None``: newest first.

    A cursor works only with the same query. Raises BadQuestion for an invalid limit, and for times without a zone.
    """

    since: datetime | None = None
    until: datetime | None = None
    limit: int = 50
    after: str | None = None
    sort: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise BadQuestion(f"a page has 1 to {MOST:,} records, not {self.limit:,}")
        if any(time is not None and time.tzinfo is None for time in (self.since, self.until)):
            raise BadQuestion("a time needs a zone")


NEWEST = Part()
