"""Asks Lookout's API over HTTP what people ask of it, next to SQL that reads the same rows.

Each request differs from the others, because the API keeps an answer for a second.
"""

import http.client
import itertools
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Connection, text

from agent.lookout.store.opening import attach_store
from agent.store.store import Store
from bench.report.held import Held, at_most
from tests.lookout.api.serving import LOOPBACK, served

_PAGE: Final = 50
_FAILED: Final = "failed_at IS NOT NULL"
_LATEST: Final = "ORDER BY failed_at DESC, run_id DESC LIMIT 51"


class Kind(StrEnum):
    """What is asked for."""

    FILTER = "filter"
    SORT = "sort"
    DETAIL = "detail"
    GROUP_DAY = "group by over 24 h"
    GROUP_ALL = "group by over all time"


TARGETS: Final[Mapping[Kind, tuple[float, float]]] = {
    Kind.FILTER: (50.0, 300.0),
    Kind.SORT: (50.0, 300.0),
    Kind.DETAIL: (50.0, 300.0),
    Kind.GROUP_DAY: (100.0, 300.0),
    Kind.GROUP_ALL: (150.0, 300.0),
}
"""The most milliseconds: the median, and 99 of 100."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request for each of some values, and SQL that reads the same rows for a value."""

    kind: Kind
    request: str
    values: str
    sql: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Milliseconds of the requests of a question, and of its SQL."""

    kind: Kind
    request: str
    p50: float
    p99: float
    bare: float

    @property
    def beside_sql(self) -> float:
        return self.p50 / self.bare


def _some(column: str, condition: str) -> str:
    """The most frequent values of a column."""
    return f"SELECT {column} FROM job_run WHERE {condition} GROUP BY 1 ORDER BY count(*) DESC LIMIT 100"  # noqa: S608 - ours


_CATEGORIES: Final = _some("category", _FAILED)
_QUEUES: Final = _some("queue", _FAILED)
_IDS: Final = "SELECT {} FROM job_run WHERE failed_at IS NOT NULL ORDER BY run_id LIMIT 200"
_DAY: Final = "failed_at >= :since AND failed_at < :until"

QUESTIONS: Final = (
    Question(
        Kind.FILTER,
        "runs?queue={}",
        _QUEUES,
        "SELECT * FROM job_run WHERE queue = :value ORDER BY first_at DESC, run_id DESC LIMIT 51",
    ),
    Question(
        Kind.FILTER,
        "failures?category={}",
        _CATEGORIES,
        f"SELECT * FROM job_run WHERE category = :value AND {_FAILED} {_LATEST}",  # noqa: S608 - ours
    ),
    Question(
        Kind.FILTER,
        "failures?node={}&origin=infra&origin=user",
        _some("node", _FAILED),
        f"SELECT * FROM job_run WHERE node = :value AND origin IN ('infra', 'user') AND {_FAILED} {_LATEST}",  # noqa: S608 - ours
    ),
    Question(
        Kind.FILTER,
        "jobs?category={}&state=still-failed",
        _CATEGORIES,
        "SELECT * FROM job WHERE EXISTS (SELECT 1 FROM job_run r WHERE r.job_id = job.job_id AND r.category = :value "
        "AND NOT EXISTS (SELECT 1 FROM job_run l WHERE l.job_id = r.job_id AND l.first_at > r.first_at)) "
        "ORDER BY first_at DESC, job_id DESC LIMIT 51",
    ),
    Question(
        Kind.SORT,
        "failures?queue={}&sort=-category",
        _QUEUES,
        f"SELECT * FROM job_run WHERE queue = :value AND {_FAILED} "  # noqa: S608 - ours
        "ORDER BY category DESC, failed_at DESC, run_id DESC LIMIT 51",
    ),
    Question(
        Kind.SORT,
        "jobs?state=any-failure&namespace.startsWith={}&sort=owner",
        _some("namespace", _FAILED),
        "SELECT * FROM job WHERE namespace >= :value AND namespace < :value || '~' AND EXISTS (SELECT 1 FROM job_run r "
        "WHERE r.job_id = job.job_id AND r.failed_at IS NOT NULL) ORDER BY owner, first_at, job_id LIMIT 51",
    ),
    Question(Kind.DETAIL, "runs/{}", _IDS.format("run_id"), "SELECT * FROM job_run WHERE run_id = :value"),
    Question(Kind.DETAIL, "jobs/{}", _IDS.format("job_id"), "SELECT * FROM job_run WHERE job_id = :value"),
    Question(
        Kind.GROUP_DAY,
        "groups/failures?by=category,queue&since={since}&until={until}",
        "",
        f"SELECT category, queue, state, origin, count(*) FROM job_run WHERE {_DAY} GROUP BY 1, 2, 3, 4",  # noqa: S608 - ours
    ),
    Question(
        Kind.GROUP_ALL,
        "groups/failures?by=category,queue&since=beginning",
        "",
        "SELECT category, queue, origin, sum(failures) FROM rollup_day GROUP BY 1, 2, 3",
    ),
)


def ask(url: str, *, number: int) -> list[Asked]:
    """Ask each question this many times, of a database that nobody writes meanwhile."""
    with attach_store(url) as store, served(store) as client:
        if store.dialect == "postgresql":
            with store.write() as connection:
                connection.execute(text("ANALYZE"))  # as autovacuum does within minutes
        return [_asked(store, client.port, question, number) for question in QUESTIONS]


def _asked(store: Store, port: int, question: Question, number: int) -> Asked:
    with store.read() as connection:
        window = _last_day(connection)
        values = list(connection.scalars(text(question.values))) if question.values else [""]
    given = list(itertools.islice(itertools.cycle(values), number))
    bare = [_run(store, question.sql, {"value": value, **window}) for value in given[:_PAGE]]
    client = http.client.HTTPConnection(LOOPBACK, port, timeout=60)
    times = sorted(_request(client, _path(question, value, window, place)) for place, value in enumerate(given))
    client.close()
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    return Asked(question.kind, question.request, statistics.median(times), p99, statistics.median(bare))


def _last_day(connection: Connection) -> dict[str, Any]:
    """The last 24 hours in which runs failed, as the database writes times."""
    last = connection.scalar(text("SELECT max(day) FROM rollup_day WHERE failures > 0"))
    day = datetime.fromisoformat(str(last)).replace(tzinfo=UTC)
    since, until = day - timedelta(days=1), day
    if connection.dialect.name == "sqlite":
        return {name: f"{at:%Y-%m-%d %H:%M:%S}.000000" for name, at in (("since", since), ("until", until))}
    return {"since": since, "until": until}


def _path(question: Question, value: str, window: Mapping[str, Any], place: int) -> str:
    """The path; each has a limit of its own, where it has any."""
    bounds = {name: f"{datetime.fromisoformat(str(at)):%Y-%m-%dT%H:%M:%SZ}" for name, at in window.items()}
    path = question.request.format(quote(value, safe=""), **bounds)
    limit = f"{'&' if '?' in path else '?'}limit={_PAGE + place % _PAGE}"
    return f"/api/v1/{path}{'' if question.kind is Kind.DETAIL else limit}"


def _request(client: http.client.HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    client.request("GET", path)
    response = client.getresponse()
    body = response.read()
    took = time.perf_counter() - began
    if response.status != http.client.OK:
        raise AssertionError(f"{path}: {response.status} {body[:200]!r}")
    return took * 1000


def _run(store: Store, sql: str, given: Mapping[str, Any]) -> float:
    with store.read() as connection:
        statement = text(sql)
        began = time.perf_counter()
        connection.execute(statement, {name: given[name] for name in statement.compile().params}).all()
        return (time.perf_counter() - began) * 1000


def shown(asked: Sequence[Asked]) -> Iterator[str]:
    """The figures as lines for people."""
    for question in asked:
        yield (
            f"  {question.kind}: {question.p50:.1f} ms, 99 of 100 within {question.p99:.1f} ms,"
            f" {question.beside_sql:.1f} times bare SQL: {question.request}"
        )


def held(asked: Sequence[Asked], database: str) -> Iterator[Held]:
    """The slowest question of each kind."""
    for kind, (p50, p99) in TARGETS.items():
        of_kind = [question for question in asked if question.kind is kind]
        if of_kind:
            slowest, last = max(question.p50 for question in of_kind), max(question.p99 for question in of_kind)
            yield at_most(f"{kind}, {database}", slowest, target=p50, unit="ms")
            yield at_most(f"{kind}, {database}, 99 of 100", last, target=p99, unit="ms")
