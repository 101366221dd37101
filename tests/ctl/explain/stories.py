"""Timelines as a table writes them, decided as the scheduler would."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import Container, ContainerMemory
from agent.core.failure import UNDECIDED, Failure
from agent.core.history import History
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from agent.core.run_event import CreationFailed
from agent.core.summary.internal import as_failure
from agent.core.summary.submission import UNKNOWN, Submission
from agent.core.summary.user_code import judge_user_code
from agent.store.recorded import (
    JobEnding,
    PersonsRequest,
    RecordedFailure,
    RecordedRun,
    RecordedVerdict,
    SubmittedPart,
    SubmittedRun,
    Timeline,
)
from tests.core.classify.tables import Row
from tests.core.failure_text.rows import failure_of
from tests.core.retry.builders import effective
from tests.tables import table

NOW = datetime(2026, 11, 21, 12, 5, 0, tzinfo=UTC)
STORIES: list[Row] = table(Path(__file__).parent / "stories.yaml")
POLICY: Row = {
    "name": "demo",
    "retryLimit": 5,
    "defaultAction": "Fail",
    "backoff": {"initialDelay": 30},
    "rules": [
        {"name": "preempted", "retryLimit": 11, "onConditions": ["Preempted"]},
        {
            "name": "sick-node",
            "antiAffinity": {"mode": "node"},
            "onFailureCategory": ["eviction", "node", "admission", "gpu"],
        },
        {"name": "OOMKilled", "retryLimit": 2, "memory": {"factor": 2.0}, "onConditions": ["OOMKilled"]},
    ],
}


def timeline_of(story: Row) -> Timeline:
    runs: list[RecordedRun] = []
    history = History()
    for number, row in enumerate(story["runs"]):
        run = _run(row, number, history)
        if run.verdict is not None:
            verdict = run.verdict.verdict
            history = history.followed_by(verdict.granted_under, past=verdict.past)
        runs.append(run)
    return Timeline(
        job_id=story.get("job", "01stet4b8kz0q6v3mh2n7w5xyc"),
        queue=story.get("queue", ""),
        job_set=story.get("job_set", ""),
        gang_id=story.get("gang", ""),
        runs=tuple(runs),
        submitted=_scheduled(story["scheduled"]) if "scheduled" in story else None,
    )


def _scheduled(row: Row) -> SubmittedPart:
    ended = [row["ended"]] if "ended" in row else []
    return SubmittedPart(
        state=row["state"],
        namespace="team-a",
        client_id="team-a/train",
        submitted_at=_ago(9000),
        submitted_by="alice",
        never_retry=row.get("never_retry", False),
        wait=row.get("wait", ""),
        ended="ended" in row,
        runs=tuple(map(_leased, row.get("runs", ()))),
        requests=tuple(
            PersonsRequest(
                kind=one["kind"],
                by=one["by"],
                reason=one.get("reason", ""),
                at=_ago(one["ago"]),
                refused=one.get("refused", ""),
            )
            for one in row.get("asked", ())
        ),
        endings=tuple(JobEnding(state=one["state"], by=one["by"], at=_ago(one["ago"]), opening=0) for one in ended),
    )


def _leased(row: Row) -> SubmittedRun:
    return SubmittedRun(
        run_id=row["run_id"],
        index=row.get("index", 0),
        attempt=row.get("index", 0),
        cluster="cpu-west",
        node="node-4",
        phase=row.get("phase", "running"),
        granted=row.get("granted", False),
        opened_at=_ago(row.get("opened", 8000)),
        closed_at=_ago(row["closed"]) if "closed" in row else None,
        closed_by=row.get("closed_by", ""),
        verdict=row.get("verdict", ""),
        grant_returned=row.get("grant_returned", False),
        may_still_live=row.get("may_still_live", False),
    )


def _run(row: Row, number: int, history: History) -> RecordedRun:
    failures = tuple(
        _recorded(one, f"{number}-{at}", submitted=row.get("submitted"))
        for at, one in enumerate(row.get("failures", ()))
    )
    ends = [one for one in failures if one.failure.occurrence not in UNDECIDED and row.get("decided", True)]
    first = min((one.occurred_at for one in failures), default=_ago(row.get("began", 0)))
    return RecordedRun(
        run_id=f"run-{number}",
        attempt=row.get("attempt"),
        cluster="cpu-west",
        namespace="team-a",
        pod_name=row.get("pod_name", f"train-{number}"),
        node=row.get("node", ""),
        phase=row.get("phase", "failed" if ends else None),
        phase_at=_ago(row["phase_ago"]) if "phase_ago" in row else None,
        first_occurred_at=_ago(row["began"]) if "began" in row else first,
        failures=failures,
        verdict=_verdict(ends[0], row, history) if ends else None,
    )


def _recorded(row: Row, event_id: str, *, submitted: list[str] | None) -> RecordedFailure:
    at = _ago(row["ago"])
    failure = _failure(row, UNKNOWN if submitted is None else _submitted(submitted))
    if "ran" in row:
        failure = replace(failure, pod=replace(failure.pod, started_at=at - timedelta(seconds=row["ran"])))
    amends = f"{event_id.partition('-')[0]}-0" if row.get("amends") else None
    return RecordedFailure(
        event_id=event_id, amends=amends, occurred_at=at, observed_at=at, stored_at=at, key_line="", failure=failure
    )


def _submitted(names: list[str]) -> Submission:
    reason = "the annotation failure-agent.dev/containers lists the submitted containers"
    return Submission(submitted=frozenset(names), reason=reason)


def _failure(row: Row, submitted: Submission) -> Failure:
    if "refused" in row:
        return as_failure(CreationFailed(**row["refused"]))
    failure = failure_of(row, submitted=submitted)
    containers = tuple(
        _with_wait(_marked(one, submitted), given)
        for one, given in zip(failure.pod.containers, row.get("containers", ()), strict=True)
    )
    pod = replace(failure.pod, containers=containers)
    user_code = judge_user_code(pod, failure.culprit_container, submitted)
    return replace(failure, pod=pod, user_code=user_code)


def _marked(container: Container, submitted: Submission) -> Container:
    return replace(container, injected=submitted.is_injected(container.name, container.kind))


def _with_wait(container: Container, row: Row) -> Container:
    return replace(container, state=replace(container.state, message=row["message"])) if "message" in row else container


def _verdict(recorded: RecordedFailure, row: Row, history: History) -> RecordedVerdict:
    memory = (ContainerMemory(**row["memory"]),) if "memory" in row else ()
    verdict = decide(
        recorded.failure,
        run=RunFacts(lineage="job", node=row.get("node", ""), memory=memory),
        history=history,
        policies=effective(POLICY),
        settings=RetrySettings(enabled=True),
        now=recorded.occurred_at,
    )
    return RecordedVerdict(
        event_id=recorded.event_id, decided_at=recorded.occurred_at, verdict=_noted(verdict, row.get("gang_note"))
    )


def _noted(verdict: Verdict, note: str | None) -> Verdict:
    if note is None:
        return verdict
    explained = verdict.explanation
    changed = replace(explained, notes=(*explained.notes, f"gang: {note}"))
    return Verdict(explanation=changed, past=verdict.past)


def _ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)
