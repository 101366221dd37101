"""What the demo reads of its own parts: records and ledgers of the simulators, and the verdicts in the store."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from sqlalchemy import RowMapping, select

from agent.core.decision.explanation import Explanation
from agent.core.decision.explanation_text import headline
from agent.core.failure import Origin
from agent.core.limit import VerdictAction
from agent.demo.outcome import Witnessed
from agent.demo.tally import Decided, Ended
from agent.json_reader.reader import read_value
from agent.store.explanations import decode_explanation
from agent.store.store import Store
from agent.store.tables.failures import table as failure
from agent.store.tables.verdicts import table as verdict

_LEDGER_SECONDS = 10.0
_FAILURE_COLUMNS = (
    "pod_uid",
    "observed_at",
    "cluster",
    "job_id",
    "attempt",
    "category",
    "subcategory",
    "origin",
    "exit_code",
    "matched",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One verdict as the demo shows it. ``delay_seconds``: until the next run may start; ``None`` if there is none."""

    run_id: str
    pod_uid: str
    decided_at: datetime
    observed_at: datetime
    cluster: str
    job_id: str
    attempt: int | None
    category: str
    origin: Origin
    exit_code: int | None
    matched: bool
    action: VerdictAction
    delay_seconds: float | None
    headline_text: str

    def as_decided(self) -> Decided:
        latency = (self.decided_at - self.observed_at).total_seconds() * 1000
        return Decided(pod_uid=self.pod_uid, classified=self.matched, latency_ms=latency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A job that succeeded after a retry. ``last`` is the verdict on the last of its runs that failed."""

    ended_at: datetime
    attempt: int
    last: Decision


def read_record(path: Path) -> Iterator[Ended]:
    """The rows of a simulator's record; a last line still being written is left for later."""
    if not path.is_file():
        return
    for line in path.read_text().splitlines(keepends=True):
        if line.endswith("\n"):
            row = read_value(line.encode())
            yield Ended(pod_uid=row["pod_uid"], script=row["script"], in_run=row["in_run"])


def served_url(log: Path) -> str | None:
    """The URL of a simulator, from the first line it printed; ``None`` until then."""
    if not log.is_file():
        return None
    first, newline, _ = log.read_text().partition("\n")
    return str(read_value(first.encode())["url"]) if newline and first.startswith("{") else None


def read_witnessed(urls: Iterable[str]) -> Witnessed:
    """What the ledgers of the simulators hold. Raises OSError if one does not answer."""
    ledgers = [_ledger(url) for url in urls]
    return Witnessed(
        pods=frozenset(
            container["pod_uid"] for ledger in ledgers for container in ledger["containers"] if container["gated"]
        ),
        overlaps=sum(len(ledger["overlaps"]) for ledger in ledgers),
    )


def read_decisions(store: Store, *, since: datetime | None = None) -> list[Decision]:
    """The verdicts made at or after ``since``, in the order they were made."""
    query = (
        select(
            verdict.c.run_id,
            verdict.c.decided_at,
            verdict.c.action,
            verdict.c.explanation,
            *(failure.c[name] for name in _FAILURE_COLUMNS),
        )
        .join(failure, failure.c.event_id == verdict.c.event_id)
        .order_by(verdict.c.decided_at, verdict.c.run_id)
    )
    if since is not None:
        query = query.where(verdict.c.decided_at >= since)
    with store.read() as connection:
        return [_decision(row) for row in connection.execute(query).mappings()]


def _decision(row: RowMapping) -> Decision:
    subcategory, explanation = row["subcategory"], decode_explanation(row["explanation"])
    return Decision(
        run_id=row["run_id"],
        pod_uid=row["pod_uid"],
        decided_at=row["decided_at"],
        observed_at=row["observed_at"],
        cluster=row["cluster"],
        job_id=row["job_id"],
        attempt=row["attempt"],
        category=f"{row['category']}/{subcategory}" if subcategory else row["category"],
        origin=Origin(row["origin"]),
        exit_code=row["exit_code"],
        matched=row["matched"],
        action=VerdictAction(row["action"]),
        delay_seconds=_delay(explanation),
        headline_text=headline(explanation),
    )


def _delay(explanation: Explanation) -> float | None:
    if explanation.action is VerdictAction.FAIL:
        return None
    return 0 if explanation.delay is None else explanation.delay.seconds


def _ledger(url: str) -> dict[str, list[dict[str, Any]]]:
    with urlopen(f"{url}/simulator/containers", timeout=_LEDGER_SECONDS) as answer:  # noqa: S310  # our own simulator
        ledger: dict[str, list[dict[str, Any]]] = read_value(answer.read())
    return ledger
