"""The transitions of a submitted job's state, as data: docs/jobs-lifecycle.md has it, and tests compare the code."""

from dataclasses import dataclass
from typing import Final

from agent.core.lifecycle.inputs import (
    Cancel,
    Confirmed,
    CreationFailed,
    GatedPodDeleted,
    Input,
    Leased,
    LeaseExpired,
    LimitLowered,
    NeverRetry,
    PhaseReported,
    Preempted,
    Retry,
    RunFailed,
    RunRejected,
    RunStopped,
    TimePassed,
)
from agent.core.lifecycle.state import State


@dataclass(frozen=True, slots=True)
class Transition:
    """From any of the states by any of the inputs to one state, under a condition."""

    sources: tuple[State, ...]
    inputs: tuple[type[Input], ...]
    target: State
    when: str


_ACTIVE: Final = (State.LEASED, State.PENDING, State.RUNNING)
_TAKEN: Final = (LeaseExpired, Preempted)
_CONFIRMING: Final = (PhaseReported, RunFailed, GatedPodDeleted, RunStopped, Confirmed)

TRANSITIONS: Final = (
    Transition((State.QUEUED, State.RETRY_WAITING), (Leased,), State.LEASED, "nothing holds the next run"),
    Transition((State.LEASED,), (PhaseReported,), State.PENDING, "our gate is gone"),
    Transition((State.LEASED, State.PENDING), (PhaseReported,), State.RUNNING, ""),
    Transition(_ACTIVE, (PhaseReported, RunStopped), State.SUCCEEDED, "the recorded pod succeeded"),
    Transition((State.LEASED,), (RunRejected,), State.QUEUED, "the first run has no pod"),
    Transition((State.LEASED,), (RunRejected,), State.RETRY_WAITING, "a later run has no pod"),
    Transition(
        (State.LEASED,), (RunRejected,), State.FAILED, "a later run has no pod, and `never-retry` was asked for"
    ),
    Transition(
        (State.LEASED,), (RunRejected,), State.SUCCEEDED, "a later run has no pod, and the run before it succeeded"
    ),
    Transition((State.LEASED,), (CreationFailed,), State.RETRY_WAITING, "the verdict is Retry"),
    Transition((State.LEASED,), (CreationFailed,), State.FAILED, "the verdict is Fail"),
    Transition(_ACTIVE, (RunFailed, GatedPodDeleted, *_TAKEN), State.RETRY_WAITING, "the verdict is Retry"),
    Transition(_ACTIVE, (RunFailed, *_TAKEN), State.STOPPING, "the verdict is Fail, and the pod may still live"),
    Transition(
        (State.PENDING, State.RUNNING),
        (GatedPodDeleted,),
        State.STOPPING,
        "the verdict is Fail, and the gate was already removed",
    ),
    Transition(
        _ACTIVE,
        (RunFailed, GatedPodDeleted, *_TAKEN),
        State.FAILED,
        "the verdict is Fail, and no pod may live or `timer` has no grace",
    ),
    Transition((*_ACTIVE, State.RETRY_WAITING), (Cancel,), State.STOPPING, "a pod may still live"),
    Transition(
        (State.QUEUED, *_ACTIVE, State.RETRY_WAITING),
        (Cancel,),
        State.CANCELLED,
        "no pod may live, or its grace is over",
    ),
    Transition(
        (State.RETRY_WAITING,), (PhaseReported, RunStopped), State.SUCCEEDED, "the last run's pod succeeded after all"
    ),
    Transition((State.RETRY_WAITING,), (NeverRetry, LimitLowered), State.STOPPING, "a pod may still live"),
    Transition(
        (State.RETRY_WAITING,), (NeverRetry, LimitLowered), State.FAILED, "no pod may live, or its grace is over"
    ),
    Transition((State.STOPPING,), (*_CONFIRMING, TimePassed), State.FAILED, "failed: confirmed, or its grace is over"),
    Transition(
        (State.STOPPING,), (*_CONFIRMING, TimePassed), State.CANCELLED, "cancelled: confirmed, or its grace is over"
    ),
    Transition(
        (State.STOPPING, State.FAILED, State.CANCELLED, State.SUCCEEDED),
        (Retry,),
        State.RETRY_WAITING,
        "a person reopens the job, after a success with `again`",
    ),
    Transition((State.CANCELLED,), (Retry,), State.QUEUED, "a person reopens the job, and it had no run"),
)


def permitted() -> frozenset[tuple[State, type[Input], State]]:
    """The table, a triple for each source and input."""
    return frozenset((source, kind, row.target) for row in TRANSITIONS for source in row.sources for kind in row.inputs)
