"""Messages about a few runs that share ids, times and nodes, as hypothesis draws them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core.evidence import LogTail
from agent.core.failure import Failure, Occurrence, Origin
from agent.core.heartbeat import Heartbeat, RunOffer
from agent.core.job_event import (
    JobContent,
    JobEvent,
    JobRequested,
    JobSubmitted,
    LeaseRejected,
    RequestKind,
    RunDecided,
    RunLeased,
    StateChanged,
)
from agent.core.lifecycle.job import EndedBy, Ending
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.core.run_event import (
    Amendment,
    Content,
    CreationFailed,
    LoadedRule,
    RuleSetLoaded,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
    StopAnswer,
)
from agent.lookout.store.entries import Entry
from tests.store.events import START, event, failed

_RUNS: Final = ("r0", "r1", "r2")
_JOBS: Final = {"r0": "job-a", "r1": "job-a", "r2": "job-b"}
_HOURS: Final = st.sampled_from([0, 0.5, 1, 13, 30, 70])
_CATEGORIES: Final = st.sampled_from([["oom"], ["gpu", "oom"], ["none"], ["preempted", "node"]])

_OTHERS: Final[tuple[Content, ...]] = (
    RunCreated(),
    RunRejected(reason="Quota", message="too many"),
    CreationFailed(reason="Invalid", message="no image"),
    RunStopped(answer=StopAnswer.SUCCEEDED_BEFORE),
    RunStopped(answer=StopAnswer.GONE),
)


def _failure(draw: st.DrawFn) -> Content:
    occurrence = draw(st.sampled_from(Occurrence))
    origin = draw(st.sampled_from(Origin))
    return _classified(draw, failed(occurrence, categories=draw(_CATEGORIES), origin=origin))


def _classified(draw: st.DrawFn, found: Failure) -> Failure:
    """The failure as classified by some rules, with or without the end of a log."""
    tails = draw(st.sampled_from([(), (LogTail(container="main", text="Killed"),)]))
    by = replace(found.classification, revision=draw(st.sampled_from(["", "v1", "v2"])))
    return replace(found, classification=by, log_tails=tails)


def _content(draw: st.DrawFn, number: int) -> Content:
    kind = draw(st.sampled_from(["phase", "failure", "failure", "amendment", "other"]))
    match kind:
        case "phase":
            return draw(st.sampled_from([RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED]))
        case "failure":
            return _failure(draw)
        case "amendment":
            amends = f"e{draw(st.integers(0, 2 * number + 2))}"
            return Amendment(amends=amends, failure=_classified(draw, failed(categories=draw(_CATEGORIES))))
        case _:
            return draw(st.sampled_from(_OTHERS))


def _run_event(draw: st.DrawFn, number: int) -> RunEvent:
    run, hours = draw(st.sampled_from(_RUNS)), draw(_HOURS)
    attempt = draw(st.sampled_from([None, 1]))
    found = event(f"e{number}", _content(draw, number), run=run, job=_JOBS[run], attempt=attempt, after=hours * 3600)
    return replace(found, pod=replace(found.pod, node=draw(st.sampled_from(["", "n1", "n2"]))))


def _job_content(draw: st.DrawFn, run: str) -> JobContent:
    decided = RunDecided(
        run_id=run,
        attempt=1,
        failure_id="e0",
        action=draw(st.sampled_from(VerdictAction)),
        reason="rule",
        sentence="Rule 1 of p says so.",
        policy=draw(st.sampled_from(["", "p"])),
    )
    contents: tuple[JobContent, ...] = (
        JobSubmitted(name="train", client_id="c", priority=2.0),
        RunLeased(run_id=run, index=0, attempt=1, cluster_id="cluster-uid", cluster="east", pod_name="p"),
        LeaseRejected(run_id=run, retry_at=None, reason="full"),
        decided,
        JobRequested(kind=RequestKind.CANCEL, by="ann"),
        StateChanged(),
    )
    return draw(st.sampled_from(contents))


def _job_event(draw: st.DrawFn, number: int) -> JobEvent:
    run, at = draw(st.sampled_from(_RUNS)), START + timedelta(hours=draw(_HOURS))
    state = draw(st.sampled_from([None, *State]))
    return JobEvent(
        event_id=f"e{number}",
        job_id=_JOBS[run],
        sequence=number + 1,
        at=at,
        event=_job_content(draw, run),
        queue="ml",
        owner="ann",
        namespace="jobs",
        state=state,
        ending=Ending(state=state, by=EndedBy.VERDICT, at=at) if state is State.FAILED else None,
    )


def _heartbeat(draw: st.DrawFn, number: int) -> Heartbeat:
    return Heartbeat(
        cluster_id=draw(st.sampled_from(["a", "b"])),
        cluster="east",
        epoch=draw(st.integers(0, 2)),
        incarnation=f"i{number}",
        spool_id="s",
        last_spooled=number,
        last_acknowledged=0,
        sent_at=draw(st.sampled_from([None, START, START + timedelta(hours=30)])),
        runs=draw(st.sampled_from([None, RunOffer(namespaces=("jobs",), max_runs=1)])),
    )


def _rule_set(draw: st.DrawFn, number: int) -> RuleSetLoaded:
    rules = [
        LoadedRule(name=f"n{index}", pack="p", category="oom", rule_index=index, subcategory="", origin=Origin.USER)
        for index in range(draw(st.integers(0, 2)))
    ]
    return RuleSetLoaded(
        event_id=f"e{number}",
        cluster_id=draw(st.sampled_from(["a", "b"])),
        cluster="east",
        revision=draw(st.sampled_from(["v1", "v2"])),
        categories=("oom",),
        loaded_at=START + timedelta(hours=draw(_HOURS)),
        rules=tuple(rules),
    )


_KINDS: Final[tuple[Callable[[st.DrawFn, int], Entry], ...]] = (
    *(_run_event,) * 4,
    *(_job_event,) * 2,
    _heartbeat,
    _rule_set,
)


@st.composite
def messages(draw: st.DrawFn) -> list[Entry]:
    """Up to 12 messages, each with an id of its own."""
    kinds = draw(st.lists(st.sampled_from(_KINDS), min_size=1, max_size=12))
    return [kind(draw, number) for number, kind in enumerate(kinds)]


@st.composite
def deliveries(draw: st.DrawFn, sent: list[Entry]) -> list[list[Entry]]:
    """The messages in any order and in any batches, some of them more than once."""
    again = draw(st.lists(st.sampled_from(sent), max_size=6))
    order = draw(st.permutations([*sent, *again]))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), max_size=4)))
    return [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]
