"""Job events tell of each job what its rows have, whatever happens to it."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import Connection, select

from agent.broker.topics import JOB_EVENTS
from agent.core.decision.verdict import Verdict
from agent.core.evidence import ContainerMemory
from agent.core.history import History
from agent.core.job_event import (
    JobContent,
    JobEvent,
    JobRequested,
    LeaseRejected,
    MemoryRaised,
    RequestKind,
    RunDecided,
    RunLeased,
    StateChanged,
)
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Refused, Step, WriteVerdict
from agent.core.lifecycle.inputs import Cancel, Confirmed, Input, Leased, NeverRetry, Retry
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import Fail, RetryAt
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.core.retry.choices import Strength
from agent.core.retry.growth import MemoryGrowth, Mutation
from agent.core.summary.bounds import MESSAGE_BYTES, WORD_BYTES
from agent.scheduler.effects import job_events
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.job_events import MOST_CONTAINERS, MOST_NODES, of_observed, of_steps, of_submission
from agent.scheduler.effects.write import write
from agent.store import outbox
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.held import Held
from agent.store.submitted.requests import JobRequest
from agent.store.submitted.tables import job_table, spec_table
from agent.store.verdicts import NewVerdict
from agent.wire.job_event import decode, encode
from tests.core.lifecycle.laws import Finding
from tests.core.lifecycle.made import CONFIRMED, T0
from tests.core.lifecycle.test_world import TERMS, walk
from tests.core.lifecycle.world import CLUSTER, Broken, World
from tests.core.strategies import hostile_texts
from tests.scheduler.following import followed, of_row
from tests.scheduler.runs import Loop
from tests.scheduler.test_decisions import handle
from tests.store.databases import new_store
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import event, failed
from tests.store.submitted.made import SUBMISSION, new_job
from tests.store.test_rows import FAIL, RETRY, verdict

JOB: Final = "a"
REQUESTS: Final = {
    Cancel: RequestKind.CANCEL,
    Retry: RequestKind.RETRY,
    NeverRetry: RequestKind.NEVER_RETRY,
    Confirmed: RequestKind.CONFIRM_STOPPED,
}


def made(run_id: str, of: RetryAt | Fail) -> NewVerdict:
    return verdict(run_id, job=JOB, of=RETRY if isinstance(of, RetryAt) else FAIL)[1]


@dataclass
class Following:
    """Somebody who gets the events of each step, and compares."""

    events: list[JobEvent] = field(default_factory=lambda: [of_submission(new_job(JOB))])
    asked: list[JobRequest] = field(default_factory=list)

    def __call__(self, before: SubmittedJob, event: Input, now: datetime, result: Step | Refused) -> Iterator[Finding]:
        """The law of a step."""
        if isinstance(result, Refused):
            return
        advanced = self.advanced(before, event, now, result)
        new = of_steps(advanced, clusters={CLUSTER: "east"}, at=now)
        if len(new) > 1:
            yield "one-event", f"{event}: {new}"
        self.events += new
        found, asked = followed(self.events)[JOB], [(each.kind.value, each.by, "", "") for each in self.asked]
        verdicts = {run.run_id: action_of(run.verdict) for run in result.job.runs if run.verdict is not None}
        if found != (stands := of_row(result.job, verdicts, asked)):
            yield "job-events", f"{found} is not {stands}"

    def advanced(self, before: SubmittedJob, event: Input, now: datetime, step: Step) -> Advanced:
        of_store = Held(job=before, submission=SUBMISSION, events=len(self.events))
        written = [effect for effect in step.effects if isinstance(effect, WriteVerdict)]
        verdicts = {effect.run_id: made(effect.run_id, effect.verdict) for effect in written}
        advanced = replace(Advanced.of(of_store).by(step), verdicts=verdicts)
        kind = REQUESTS.get(type(event))
        if kind is None or step.job == before:
            return advanced
        self.asked.append(JobRequest(job_id=JOB, kind=kind, by="ann", reason="", at=now))
        return advanced.asked(self.asked[-1])


def action_of(given: RetryAt | Fail) -> str:
    return VerdictAction.RETRY.value if isinstance(given, RetryAt) else VerdictAction.FAIL.value


def walks(first: int, number: int) -> None:
    for seed in range(first, first + number):
        walk(seed, World(terms=TERMS[seed % len(TERMS)], laws=Following()))


@pytest.mark.slow
def test_the_events_of_a_job_say_what_its_rows_have_after_every_step() -> None:
    walks(random.SystemRandom().randrange(10**9), 300)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [JobRequested, LeaseRejected, RunDecided, RunLeased])
def test_the_law_notices_events_that_are_not_written(kind: type[JobContent], monkeypatch: pytest.MonkeyPatch) -> None:
    contents: Callable[..., Iterator[JobContent]] = job_events._contents
    monkeypatch.setattr(
        job_events, "_contents", lambda *given: (found for found in contents(*given) if not isinstance(found, kind))
    )

    with pytest.raises(Broken, match="job-events"):
        walks(1, 60)


def test_a_state_that_nothing_else_says_has_an_event_of_its_own() -> None:
    job = SubmittedJob(job_id=JOB)
    of_store = Held(job=job, submission=SUBMISSION, events=4)
    ended = replace(job, state=State.CANCELLED, next=None)

    (found,) = of_steps(replace(Advanced.of(of_store), job=ended), clusters={}, at=T0)

    assert (found.event, found.state, found.sequence) == (StateChanged(), ended.state, 5)
    assert of_steps(replace(Advanced.of(of_store), job=replace(job, never_retry=True)), clusters={}, at=T0) == []


def lease(connection: Connection, job_id: str) -> None:
    before = Advanced.of(held.load(connection, [job_id])[job_id])
    step = advance(before.job, Leased(run_id="r0", cluster="id-east", terms=CONFIRMED), T0)
    assert isinstance(step, Step)
    write(connection, [before.by(step)], now=T0)


def job_events_in(connection: Connection) -> list[JobEvent]:
    query = select(outbox.table.c.payload).where(outbox.table.c.topic == JOB_EVENTS).order_by(outbox.table.c.id)
    return [decode(payload) for payload in connection.scalars(query)]


def explained(**given: object) -> Verdict:
    return structs.replace(RETRY, explanation=structs.replace(RETRY.explanation, **given))


def test_a_verdict_says_what_follows_and_leaves_out_no_more_than_it_says() -> None:
    before = tuple(ContainerMemory(name=f"c{number}", limit=1) for number in range(MOST_CONTAINERS + 2))
    after = tuple(structs.replace(memory, limit=2) for memory in before)
    whole = explained(
        avoid_nodes=tuple(f"n{number}" for number in range(MOST_NODES + 3)),
        avoid_strength=Strength.PREFERRED,
        mutation=Mutation(growth=MemoryGrowth(factor=2.0), before=before, after=after),
    )

    (found,) = of_observed([verdict("run-1", of=whole)[1]], {"job-1": History()})

    content = found.event
    assert isinstance(content, RunDecided)
    assert (content.avoid_nodes[-1], content.avoid_nodes_left_out, content.avoid_preferred) == ("n63", 3, True)
    assert content.memory[0] == MemoryRaised(container="c0", limit_before=1, limit_after=2)
    assert (len(content.memory), content.memory_left_out) == (MOST_CONTAINERS, 2)
    assert content.sentence.startswith("Retry ")
    assert (content.policy, content.rule_number, content.failure_id) == (RETRY.policy, 1, "run-1")


@given(hostile_texts() | st.just("é☃" * 5_000), st.sampled_from(list(RequestKind)))
def test_whatever_people_and_policies_say_the_event_can_be_written_read_and_stored(
    text: str, kind: RequestKind
) -> None:
    asked = JobRequest(job_id=JOB, kind=kind, by=text, reason=text, at=T0, outcome=text)
    of_store = Held(
        job=SubmittedJob(job_id=JOB), submission=replace(SUBMISSION, queue=text, submitted_by=text), events=1
    )
    decider = RETRY.explanation.decider
    assert decider is not None
    named = structs.replace(decider, policy=text, label=text, key=text)
    told = explained(decider=named, notes=(text,), avoid_nodes=(text,))

    events = [
        *of_steps(Advanced.of(of_store).asked(asked), clusters={}, at=T0),
        *of_observed([verdict("run-1", of=told)[1]], {"job-1": History()}),
        of_submission(new_job(JOB, name=text, client_id=text, retry_policies=text)),
    ]

    assert [decode(encode(event)) for event in events] == events
    assert max(len(event.queue.encode()) for event in events) <= WORD_BYTES
    assert max(len(encode(event)) for event in events) < 2 * MESSAGE_BYTES + 16 * WORD_BYTES


def test_a_failure_of_a_pod_that_nobody_submitted_has_one_event_however_often_it_comes(store: Store) -> None:
    loop = Loop(store)
    for _ in range(3):
        handle(store, *(event(f"e{number}", failed(), run=f"run-{number}") for number in range(3)))

    found = loop.job_events()

    assert [(told.job_id, told.sequence, told.state, told.owner) for told in found] == [
        ("job-1", number, None, "") for number in (1, 2, 3)
    ]
    assert len({told.event_id for told in found}) == 3
    assert [(told.queue, told.job_set, told.namespace) for told in found] == [("ml", "set", "jobs")] * 3
    assert [told.event.run_id for told in found if isinstance(told.event, RunDecided)] == ["run-0", "run-1", "run-2"]


def test_a_transaction_that_is_tried_again_writes_the_same_event(store: Store) -> None:
    loop = Loop(store)
    loop.submit("j")
    tries: list[JobEvent] = []
    for _ in range(2):
        with store.decide(["j"]) as connection, connection.begin_nested() as savepoint:
            lease(connection, "j")
            tries += job_events_in(connection)[1:]
            savepoint.rollback()

    with store.decide(["j"]) as connection:
        lease(connection, "j")

    assert [loop.job_events()[-1]] * 2 == tries
    assert loop.job_events()[-1].sequence == 2


def test_a_job_that_was_submitted_before_the_upgrade_is_followed_from_its_next_event_on(
    store_url: str, tmp_path: Path
) -> None:
    (made_in := tmp_path / "made").mkdir()
    with Store.open(new_store(made_in)) as made_then:
        Loop(made_then).submit("j")
        with made_then.read() as connection:
            tables = {table: connection.execute(select(table)).mappings().all() for table in (job_table, spec_table)}
    with earlier(store_url, "0013") as connection:
        for table, rows in tables.items():
            insert_earlier(connection, table, [dict(row) for row in rows])

    with Store.open(store_url) as store:
        loop = Loop(store)
        with store.decide(["j"]) as connection:
            lease(connection, "j")
        (found,) = loop.job_events()

    assert (found.sequence, found.state, found.queue) == (2, State.LEASED, "ml")
