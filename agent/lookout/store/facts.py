"""Facts of a run: what events say of it, merged so that neither their order nor their repetition matters.

No database here. Of texts that say who and where, which all events of a run say alike, the last in the alphabet
stands: an empty one is replaced by any other. Times are of the first report. The pod is the one of the last event that
knows its node, the verdict the one of the last decision.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agent.core.failure import IN_RUN, Failure
from agent.core.job_event import JobEvent, LeaseRejected, RunDecided, RunLeased
from agent.core.run_event import RunCreated, RunEvent, RunPhase, RunRejected, RunStopped, StopAnswer
from agent.lookout.store.fitting import FITS_ALL, fit
from agent.lookout.store.horizon import day_of
from agent.store.columns import Row

_TEXTS: Final = ("job_id", "queue", "job_set", "owner", "gang_id", "cluster_id", "cluster")
_NUMBERS: Final = ("attempt", "index")
_TIMES: Final = ("first_at", "leased_at", "pending_at", "running_at", "succeeded_at")
_POD: Final = ("pod_at", "pod_event", "namespace", "pod_name", "pod_uid", "node")
_DECISION: Final = ("decided_at", "decision_id", "verdict", "verdict_reason", "policy", "rule")
_REJECTION: Final = ("rejected_at", "rejection")

NOTHING: Final[Row] = {
    **dict.fromkeys(_TEXTS, ""),
    **dict.fromkeys((*_NUMBERS, *_TIMES, "last_day")),
    **dict.fromkeys((*_POD, *_DECISION, *_REJECTION), ""),
    **dict.fromkeys(("pod_at", "decided_at", "rejected_at")),
    "sanitized": [],
}
"""The facts of a run of which nothing is known."""

_PHASE_TIMES: Final = {
    RunPhase.PENDING: "pending_at",
    RunPhase.RUNNING: "running_at",
    RunPhase.SUCCEEDED: "succeeded_at",
}


def of_run_event(event: RunEvent) -> Row:
    """What a run event says."""
    identity, pod = event.identity, event.pod
    row = {
        "run_id": identity.run_id,
        "job_id": identity.job_id,
        "queue": identity.queue,
        "job_set": identity.job_set,
        "gang_id": identity.gang_id,
        "cluster_id": event.cluster_id,
        "cluster": event.cluster,
        "attempt": identity.attempt,
        "index": identity.index,
        "first_at": event.occurred_at,
        "last_day": day_of(max(event.occurred_at, event.observed_at)),
        "pod_at": event.occurred_at,
        "pod_event": event.event_id,
        "namespace": pod.namespace,
        "pod_name": pod.name,
        "pod_uid": pod.uid,
        "node": pod.node,
        **_of_content(event),
    }
    return _fitted(row)


def _of_content(event: RunEvent) -> Row:
    at = event.occurred_at
    match event.event:
        case RunCreated():
            return {"pending_at": at}
        case RunPhase() as phase if phase in _PHASE_TIMES:
            return {_PHASE_TIMES[phase]: at}
        case Failure() as failure if failure.occurrence in IN_RUN:
            return {"running_at": at}
        case RunStopped(answer=StopAnswer.SUCCEEDED_BEFORE):
            return {"succeeded_at": at}
        case RunRejected() as refused:
            return {"rejected_at": at, "rejection": ": ".join(filter(None, (refused.reason, refused.message)))}
        case _:
            return {}


def of_job_event(event: JobEvent, content: RunLeased | LeaseRejected | RunDecided) -> Row:
    """What a job event says of a run."""
    row = {
        "run_id": content.run_id,
        "job_id": event.job_id,
        "queue": event.queue,
        "job_set": event.job_set,
        "owner": event.owner,
        "first_at": event.at,
        "last_day": day_of(event.at),
        **_of_decision(event, content),
    }
    return _fitted(row)


def _of_decision(event: JobEvent, content: RunLeased | LeaseRejected | RunDecided) -> Row:
    match content:
        case RunLeased():
            return {
                **{name: getattr(content, name) for name in ("index", "attempt", "cluster_id", "cluster", "pod_name")},
                "leased_at": event.at,
                "namespace": event.namespace,
                "pod_at": event.at,
                "pod_event": event.event_id,
            }
        case LeaseRejected():
            return {"rejected_at": event.at, "rejection": content.reason}
        case RunDecided():
            return {
                "attempt": content.attempt,
                "decided_at": event.at,
                "decision_id": event.event_id,
                "verdict": content.action.value,
                "verdict_reason": content.reason,
                "policy": content.policy,
                "rule": content.rule,
            }


def _fitted(row: Row) -> Row:
    cut = []
    for name, value in row.items():
        if type(value) is str and len(value) > FITS_ALL and (fitted := fit(name, value)) is not value:
            row[name] = fitted
            cut.append(name)
    if cut:
        row["sanitized"] = sorted(cut)
    return {**NOTHING, **row}


def merge(first: Row, second: Row) -> Row:
    """Everything that both say."""
    merged = dict(first)
    for name, chosen in _CHOSEN.items():
        ours, theirs = first[name], second[name]
        if theirs != ours and theirs is not None:
            merged[name] = theirs if ours is None else chosen(ours, theirs)
    for names, better in _TOGETHER:
        if second[names[0]] is not None and better(second, first):
            merged.update({name: second[name] for name in names})
    if second["sanitized"] and second["sanitized"] != first["sanitized"]:
        merged["sanitized"] = sorted({*first["sanitized"], *second["sanitized"]})
    return merged


def _knows_pod(second: Row, first: Row) -> bool:
    return _pod_rank(second) > _pod_rank(first)


def _pod_rank(row: Row) -> tuple[object, ...]:
    return (row["pod_at"] is not None, row["node"] != "", row["pod_uid"] != "", row["pod_at"], row["pod_event"])


def _is_later(second: Row, first: Row) -> bool:
    if first["decided_at"] is None:
        return True
    return bool((second["decided_at"], second["decision_id"]) > (first["decided_at"], first["decision_id"]))


def _is_earlier(second: Row, first: Row) -> bool:
    if first["rejected_at"] is None:
        return True
    return bool((second["rejected_at"], second["rejection"]) < (first["rejected_at"], first["rejection"]))


_CHOSEN: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys((*_TEXTS, *_NUMBERS, "last_day"), max),
    **dict.fromkeys(_TIMES, min),
}
"""Which of two values stands, by column."""

_TOGETHER: Final[Sequence[tuple[tuple[str, ...], Callable[[Row, Row], bool]]]] = (
    (_POD, _knows_pod),
    (_DECISION, _is_later),
    (_REJECTION, _is_earlier),
)
"""Columns of which one row gives all, the first the time that it has if it has any, and whether the second is it."""
