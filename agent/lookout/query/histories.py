"""Everything that is known of one job, one run or one failure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

from google.protobuf.json_format import MessageToDict
from pydantic import Field, WithJsonSchema
from sqlalchemy import ColumnElement, and_, func, or_, select

from agent.api.v1.failure_pb2 import FailureInfo as Contract
from agent.core.failure import Failure
from agent.lookout.query.answers import Answer, answer_of
from agent.lookout.query.corrections import Correction, corrections, of_job, of_run
from agent.lookout.query.ids import is_among
from agent.lookout.query.job_rows import jobs_by_id
from agent.lookout.query.reader import Reading
from agent.lookout.query.run_rows import failure_infos, select_evidence, select_runs
from agent.lookout.query.shapes import Job, Run, RunOfJob, Shape
from agent.lookout.store.failures import dropped_logs, whole
from agent.lookout.store.tables import decision_table, failure_table, job_request_table, log_table, run_table
from agent.wire.failure import fill_failure
from agent.wire.json_schema import of_message

ATTEMPTS: Final = 50
"""Runs of a job that are shown at once."""

FAILURES: Final = 100
"""Failures of a run that are shown at once: a container that starts again for weeks has thousands, each with logs."""

Info = Annotated[dict[str, Any], WithJsonSchema(dict(of_message(Contract.DESCRIPTOR)))]


class FailureHistory(Shape):
    """A failure of a run, or what amends one: in words, and with all of its evidence."""

    event_id: str
    run_id: str
    amends: str | None = Field(description="The event of the failure to which this adds what came later.")
    occurrence: str
    occurred_at: datetime
    observed_at: datetime
    answer: Answer
    logs_dropped: bool = Field(description="Whether the ends of its logs were kept, and are past `logRetention` now.")
    info: Info = Field(description="All evidence, as agents report it: `FailureInfo` of the contract.")


class MemoryRaised(Shape):
    """The memory of a container in bytes, before and in the next run."""

    container: str
    request_before: int | None
    request_after: int | None
    limit_before: int | None
    limit_after: int | None


class Decision(Shape):
    """What was decided after a run."""

    event_id: str
    run_id: str
    attempt: int | None
    decided_at: datetime
    failure_id: str = Field(description="The event on which it was decided.")
    action: str
    reason: str
    sentence: str = Field(description="Why, with the arithmetic of limits and delays.")
    policy: str
    rule: str
    rule_key: str
    rule_number: int | None
    dialect: str
    delay_seconds: float | None
    not_before: datetime | None
    avoid_nodes: list[str]
    avoid_nodes_left_out: int
    avoid_preferred: bool
    memory: list[MemoryRaised]
    memory_left_out: int


class Attempt(RunOfJob):
    """A run of a job, the latest evidence on its failure in words, and what was decided then."""

    answer: Answer | None
    decisions: list[Decision]


class RequestOfJob(Shape):
    """What a person asked of a job."""

    at: datetime
    kind: str
    by: str
    reason: str
    refused: str = Field(description="Why it had no effect; empty if it had one.")


class JobHistory(Job):
    """A job, its latest attempts, the latest first, and what people asked of it."""

    attempts: list[Attempt] = Field(description=f"At most the latest {ATTEMPTS}; `runCount` says how many there are.")
    requests: list[RequestOfJob]
    corrections: list[Correction] = Field(description="What people say that its failures really were.")


class RunHistory(Attempt):
    """A run with its failures, the earliest first."""

    failures: list[FailureHistory] = Field(
        description=f"The latest {FAILURES}, and those that say why the run failed; `GET /failures/{{id}}` has any."
    )
    failures_left_out: int = Field(description="How many of its failures are not shown.")
    corrections: list[Correction]


def job_history(reading: Reading, job_id: str) -> dict[str, Any] | None:
    """Everything of a job; ``None`` if there is none."""
    found = jobs_by_id(reading, [job_id])
    if not found:
        return None
    latest = (run_table.c.first_at.desc(), run_table.c.run_id.desc())
    query = select_runs().where(run_table.c.job_id == job_id).order_by(*latest).limit(ATTEMPTS)
    runs = reading.rows(query)
    table = job_request_table
    asked = reading.rows(select(table).where(table.c.job_id == job_id).order_by(table.c.sequence, table.c.event_id))
    requests = [RequestOfJob.of(row) for row in asked]
    corrected = corrections(reading, of_job(job_id), most=ATTEMPTS)
    return {**found[0], "attempts": _attempts(reading, runs), "requests": requests, "corrections": corrected}


def run_history(reading: Reading, run_id: str) -> dict[str, Any] | None:
    """Everything of a run; ``None`` if there is none."""
    runs = reading.rows(select_runs().where(run_table.c.run_id == run_id))
    if not runs:
        return None
    (attempt,) = _attempts(reading, runs)
    failures = _failures(reading, _shown_of(run_id, runs[0]["failure_id"]))
    of_run_id = select(func.count()).select_from(failure_table).where(failure_table.c.run_id == run_id)
    return {
        **attempt,
        "failures": failures,
        "failuresLeftOut": reading.number(of_run_id) - len(failures),
        "corrections": corrections(reading, of_run(run_id), most=ATTEMPTS),
    }


def _shown_of(run_id: str, reason: str | None) -> ColumnElement[bool]:
    """The latest failures of a run, the one that says why it failed, and what amends that one."""
    own, latest = failure_table.c, failure_table.alias("latest").c
    order = (latest.occurred_at.desc(), latest.observed_at.desc(), latest.event_id.desc())
    shown = own.event_id.in_(select(latest.event_id).where(latest.run_id == run_id).order_by(*order).limit(FAILURES))
    says_why = [] if reason is None else [own.event_id == reason, own.amends == reason]
    return and_(own.run_id == run_id, or_(shown, *says_why))


def failure_history(reading: Reading, event_id: str) -> dict[str, Any] | None:
    """One failure; ``None`` if there is none."""
    found = _failures(reading, failure_table.c.event_id == event_id)
    return found[0] if found else None


def _attempts(reading: Reading, runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    infos, answers = failure_infos(reading, runs), _answers(reading, runs)
    decisions = _decisions(reading, [run["run_id"] for run in runs])
    return [
        {
            **Run.of(run),
            "failureInfo": infos.get(run["run_id"]),
            "answer": answers.get(run["run_id"]),
            "decisions": decisions[run["run_id"]],
        }
        for run in runs
    ]


def _answers(reading: Reading, runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The failures that say why these runs failed, in words, by run: each with the evidence that came last."""
    reasons = [run["failure_id"] for run in runs if run["failure_id"] is not None]
    if not reasons:
        return {}
    query = select_evidence(failure_table.c.run_id, failure_table.c.info, dialect=reading.dialect)
    found = reading.rows(query, run_ids=[run["run_id"] for run in runs], reasons=reasons)
    latest = {row["run_id"]: row["info"] for row in found}
    return {run_id: answer_of(failure) for run_id, failure in latest.items()}


def _decisions(reading: Reading, run_ids: Sequence[str]) -> Mapping[str, list[dict[str, Any]]]:
    table = decision_table
    query = select(table).where(is_among(table.c.run_id, "run_ids", reading.dialect))
    decided: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in reading.rows(query.order_by(table.c.sequence, table.c.event_id), run_ids=run_ids):
        memory = [MemoryRaised.of(raised) for raised in row["memory"]]
        decided[row["run_id"]].append(Decision.of({**row, "memory": memory}))
    return decided


def _failures(reading: Reading, which: ColumnElement[bool]) -> list[dict[str, Any]]:
    table = failure_table
    query = (
        select(*(table.c[name] for name in _ROW), table.c.info, log_table.c.tails)
        .outerjoin(log_table, log_table.c.event_id == table.c.event_id)
        .where(which)
        .order_by(table.c.occurred_at, table.c.observed_at, table.c.event_id)
    )
    return [_failure(row) for row in reading.rows(query)]


_ROW: Final = ("event_id", "run_id", "amends", "occurrence", "occurred_at", "observed_at")


def _failure(row: Mapping[str, Any]) -> dict[str, Any]:
    failure = whole(row)
    more = {"answer": answer_of(failure), "logs_dropped": dropped_logs(row), "info": _contract(failure)}
    return FailureHistory.of({**row, **more})


def _contract(failure: Failure) -> dict[str, Any]:
    message = Contract()
    fill_failure(message, failure)
    return MessageToDict(message, always_print_fields_with_no_presence=True)
