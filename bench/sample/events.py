"""Sample run events as a cluster's agent publishes them: keyed, numbered, with the spool they come from."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from agent.broker.port import Message
from agent.core.failure import Failure
from agent.core.run_event import Identity, PodReference, RunEvent, RunPhase
from agent.wire.events import encode

RUNS_OF_A_JOB = 3
_AT_ONCE = 100
_START = datetime(2026, 1, 3, tzinfo=UTC)
_STATES = (RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED)


def state_reports(number: int) -> Iterator[Message]:
    """This many reports of runs that are created, run and succeed, a hundred of them at a time, as clusters do."""
    for index in range(number):
        state, run = _place(index)
        yield _message(index, run=run, told=_STATES[state])


def runs_of(number: int) -> int:
    """How many runs so many state reports are about."""
    return len({_place(index)[1] for index in range(number)})


def _place(index: int) -> tuple[int, int]:
    block, place = divmod(index, _AT_ONCE * len(_STATES))
    state, run = divmod(place, _AT_ONCE)
    return state, block * _AT_ONCE + run


def failures(number: int, samples: Sequence[Failure]) -> Iterator[Message]:
    """This many failures of as many runs, a few of each job."""
    for index in range(number):
        yield _message(index, run=index, told=samples[index % len(samples)])


def _message(index: int, *, run: int, told: RunPhase | Failure) -> Message:
    at = _START + timedelta(milliseconds=index)
    name = f"{run:08x}-5a1c-4b7e-9d3f-2f6e8c0b7a41"
    job = f"job-{run // RUNS_OF_A_JOB:08x}"
    event = RunEvent(
        event_id=f"{index:064x}",
        cluster_id="8e1f5a0c-1f0d-4c55-9d54-0d4b6a1c7e21",
        cluster="bench",
        identity=Identity(job_id=job, run_id=name, queue="ml", job_set="nightly", attempt=run % RUNS_OF_A_JOB),
        pod=PodReference(namespace="jobs", name=f"pod-{run}", uid=name, node=f"node-{run % 500}"),
        occurred_at=at,
        observed_at=at + timedelta(milliseconds=20),
        event=told,
    )
    place = {"spool_id": "bench-spool", "previous": str(index), "sequence": str(index + 1)}
    numbered = {"event_id": event.event_id, **place}
    return Message(key=event.identity.scope, payload=encode(event), properties=numbered, event_time=at)
