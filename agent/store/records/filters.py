"""Queries: which records, and which part of a list. No database here."""

import re
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

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
        *most, last = DetailKey
        raise BadQuestion(f"not a detail: {text!r}; write KEY=VALUE, where KEY is {', '.join(most)} or {last}")
    return Detail(key=DetailKey(key), value=value)


def read_fingerprint(text: str) -> str:
    """The same text. Raises BadQuestion for what is no fingerprint, of whatever version."""
    if not _FINGERPRINT.fullmatch(text):
        raise BadQuestion(f"not a fingerprint: {text!r}; write it as in v1:9f86d081884c7d65")
    return text


class _Owned(Struct, frozen=True, kw_only=True):
    """What every record has."""

    queue: str | None = None
    job_set: str | None = None
    cluster: str | None = None
    namespace: str | None = None


class _Failed(_Owned, frozen=True, kw_only=True):
    """What every failure has."""

    category: CategoryName | None = None
    origin: Origin | None = None
    grade: Grade | None = None
    exit_code: int | None = None
    container: str | None = None


class JobFilter(_Failed, frozen=True, kw_only=True):
    """Jobs: ``cluster`` and ``namespace`` of the latest run, ``action`` of the verdict on it.

    ``category`` to ``container`` are of the failure that was decided last.
    """

    action: VerdictAction | None = None
    state: JobCondition | None = None


class RunFilter(_Owned, frozen=True, kw_only=True):
    """Runs; ``node`` is the one that the pod of a run was on."""

    node: str | None = None


class FailureFilter(_Failed, frozen=True, kw_only=True):
    """Failures, amendments and restarts in place among them; those with all of ``detail``."""

    node: str | None = None
    fingerprint: str | None = None
    detail: tuple[Detail, ...] = ()


class VerdictFilter(FailureFilter, frozen=True, kw_only=True):
    """Verdicts, by the failures they were made on."""

    action: VerdictAction | None = None


AnyFilter = JobFilter | RunFilter | FailureFilter | VerdictFilter


class Part(Struct, frozen=True, kw_only=True):
    """Which part of a list: from ``since`` on, before ``until``, after a cursor; at most ``limit`` records.

    A cursor works only with the same query. Raises BadQuestion for an invalid limit, and for times without
    a zone.
    """

    since: datetime | None = None
    until: datetime | None = None
    limit: int = 50
    after: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise BadQuestion(f"a page has 1 to {MOST:,} records, not {self.limit:,}")
        if any(time is not None and time.tzinfo is None for time in (self.since, self.until)):
            raise BadQuestion("a time needs a zone")


NEWEST = Part()
