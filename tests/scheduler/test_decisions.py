"""What is done with a batch, without a broker."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from prometheus_client import REGISTRY
from sqlalchemy import func, select

from agent.bounds import MAX_BYTES
from agent.broker.consume.consumer import PoisonError, TransientError
from agent.broker.port import Message
from agent.core.failure import Occurrence
from agent.core.history import History
from agent.core.run_event import (
    Amendment,
    Content,
    CreationFailed,
    NameHeld,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
    StopAnswer,
)
from agent.core.summary.internal import as_failure
from agent.scheduler.consume.batch import arrivals, decide_batch
from agent.scheduler.consume.handler import Decisions, StoredAttempts
from agent.store import timeline
from agent.store.store import Store
from agent.store.tables.failures import table as failure_table
from tests.scheduler.path import decision_inputs, delivery, message, now, verdicts_of
from tests.servers.postgres_server import PostgresServer
from tests.store.events import START, event, failed


def handle(store: Store, *events: RunEvent) -> None:
    decisions = Decisions(store, inputs=decision_inputs(), clock=lambda _: now())
    decisions.handle([delivery(message(one)) for one in events])


def counted() -> Counter[str]:
    """What the metrics say was consumed, by kind, and again."""
    samples = {
        **{kind: ("failure_agent_scheduler_events_total", {"kind": kind}) for kind in ("run-state", "failure")},
        "again": ("failure_agent_scheduler_duplicates_total", {}),
    }
    found = {name: REGISTRY.get_sample_value(sample, labels) for name, (sample, labels) in samples.items()}
    return Counter({name: round(value or 0) for name, value in found.items()})


def stored(store: Store) -> int:
    with store.read() as connection:
        return connection.scalar(select(func.count()).select_from(failure_table)) or 0


def test_the_first_end_decides(store: Store) -> None:
    handle(store, event("a", failed()))

    assert verdicts_of(store) == {"run-1": "retry"}


def test_the_same_event_again_changes_nothing(store: Store) -> None:
    for _ in range(3):
        handle(store, event("a", failed()), event("a", failed()))

    assert (stored(store), verdicts_of(store)) == (1, {"run-1": "retry"})


def test_the_verdict_of_a_halt_stands_when_the_end_comes(store: Store) -> None:
    handle(store, event("a", failed(Occurrence.DEADLINE_EXCEEDED, reason="DeadlineExceeded", containers=[])))
    handle(store, event("b", failed()))

    with store.read() as connection:
        found = timeline.find(connection, "run-1")
    assert found is not None
    (run,) = found.runs
    assert [one.event_id for one in run.failures] == ["a", "b"]
    assert run.verdict is not None
    assert (run.verdict.event_id, run.verdict.verdict.action) == ("a", "fail")


def test_an_in_run_occurrence_gets_no_verdict(store: Store) -> None:
    handle(store, event("a", failed(Occurrence.CONTAINER_RESTARTED)))

    assert (stored(store), verdicts_of(store)) == (1, {})


def test_a_pod_that_never_came_gets_no_verdict_and_its_runs_do(store: Store) -> None:
    handle(store, event("a", failed(Occurrence.NEVER_CREATED, containers=[]), run="job-1"))
    assert (stored(store), verdicts_of(store)) == (1, {})

    handle(store, event("b", failed(), run="run-1"))
    assert verdicts_of(store).keys() == {"run-1"}


def test_an_amendment_gets_no_verdict_even_before_its_failure(store: Store) -> None:
    handle(store, event("b", Amendment(amends="a", failure=failed())))
    assert verdicts_of(store) == {}

    handle(store, event("a", failed(containers=[])))
    assert (stored(store), verdicts_of(store)) == (2, {"run-1": "fail"})


@pytest.mark.parametrize(
    "answer",
    [
        RunRejected(reason="Quota", message="used 8"),
        CreationFailed(reason="Namespace", message="not one of ours"),
        NameHeld(uid="u"),
        RunStopped(answer=StopAnswer.GONE),
        RunCreated(),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_an_answer_about_a_run_that_is_not_ours_leaves_nothing(store: Store, answer: Content) -> None:
    handle(store, event("a", answer))

    with store.read() as connection:
        assert timeline.find(connection, "run-1") is None
    assert (stored(store), verdicts_of(store)) == (0, {})


def test_changes_of_state_are_recorded_only(store: Store) -> None:
    handle(store, event("a", RunPhase.RUNNING), event("b", RunPhase.SUCCEEDED, after=9))

    with store.read() as connection:
        found = timeline.find(connection, "job-1")
    assert found is not None
    assert [(run.run_id, run.phase) for run in found.runs] == [("run-1", "succeeded")]
    assert (stored(store), verdicts_of(store)) == (0, {})


def test_a_repeated_event_is_counted_and_nothing_else(store: Store) -> None:
    decisions = Decisions(store, inputs=decision_inputs(), clock=lambda _: now())
    told = [event("a", RunPhase.PENDING), event("b", RunPhase.RUNNING, after=1), event("c", failed(), after=2)]
    numbered = [
        delivery(replace(message(one), properties={"spool_id": "s", "sequence": str(number)}))
        for number, one in enumerate(told, start=1)
    ]
    before = counted()
    for _ in range(3):
        decisions.handle(numbered)

    assert counted() - before == Counter({"run-state": 2, "failure": 1, "again": 6})


def test_verdicts_are_counted_by_whose_failure_it_was(store: Store) -> None:
    given = {"verdict": "fail", "origin": "platform"}
    before = REGISTRY.get_sample_value("failure_agent_scheduler_decided_total", given) or 0
    handle(store, event("a", as_failure(CreationFailed(reason="Namespace", message="not one of ours"))))

    assert REGISTRY.get_sample_value("failure_agent_scheduler_decided_total", given) == before + 1


@pytest.mark.parametrize("sequence", ["", "-1", "seven", "9" * 19, "٣"])
def test_a_number_that_is_none_marks_nothing(store: Store, sequence: str) -> None:
    told = replace(message(event("a", RunPhase.RUNNING)), properties={"spool_id": "s", "sequence": sequence})
    before = counted()
    for _ in range(2):
        Decisions(store, inputs=decision_inputs(), clock=lambda _: now()).handle([delivery(told)])

    assert counted() - before == Counter({"run-state": 2})


def test_limits_hold_within_one_batch(store: Store) -> None:
    handle(store, *(event(f"e{number}", failed(), run=f"run-{number}") for number in range(5)))

    assert sorted(verdicts_of(store).values()) == ["fail", "fail", "retry", "retry", "retry"]
    assert [verdicts_of(store)[f"run-{number}"] for number in range(3)] == ["retry"] * 3


def test_limits_hold_between_batches(store: Store) -> None:
    for number in range(5):
        handle(store, event(f"e{number}", failed(), run=f"run-{number}"))

    assert list(verdicts_of(store).values()).count("retry") == 3


def test_jobs_do_not_count_for_each_other(store: Store) -> None:
    handle(store, *(event(f"e{number}", failed(), run=f"run-{number}", job=f"job-{number}") for number in range(9)))

    assert set(verdicts_of(store).values()) == {"retry"}


LARGE = message(event("a", RunRejected(reason="r", message="x" * MAX_BYTES))).payload
DEEP = message(event("a", failed())).payload + b"\xfb\x7f" * 1_100 + b"\xfc\x7f" * 1_100
"""Groups within groups, of a field that we do not know."""


@pytest.mark.parametrize("payload", [b"", b"\xff\xff", b"{}", b"\x0a\x03abc", LARGE, DEEP])
def test_a_message_that_cannot_be_read_is_poison(store: Store, payload: bytes) -> None:
    decisions = Decisions(store, inputs=decision_inputs(), clock=lambda _: now())

    with pytest.raises(PoisonError, match="not a run event"):
        decisions.handle([delivery(Message(key="k", payload=payload))])


def test_one_bad_message_stops_its_batch_before_anything_is_stored(store: Store) -> None:
    decisions = Decisions(store, inputs=decision_inputs(), clock=lambda _: now())

    with pytest.raises(PoisonError):
        decisions.handle([delivery(message(event("a", failed()))), delivery(Message(key="k", payload=b"\xff"))])
    assert stored(store) == 0


def test_a_file_that_is_away_is_waited_for(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        store.close()
        for file in tmp_path.glob("store.db*"):
            file.unlink()
        (tmp_path / "store.db").mkdir()

        with pytest.raises(TransientError, match="the store does not answer"):
            handle(store, event("a", failed()))


@pytest.mark.slow
def test_a_server_that_is_away_is_waited_for(postgres: PostgresServer, postgres_store: str) -> None:
    with Store.open(postgres_store) as store:
        postgres.kill()
        with pytest.raises(TransientError, match="the store does not answer"):
            handle(store, event("a", failed()))
        postgres.mend()

        handle(store, event("a", failed()))

        assert verdicts_of(store) == {"run-1": "retry"}


def test_attempts_outlive_the_process(store_url: str) -> None:
    counts = []
    for _ in range(3):
        with Store.open(store_url) as store:
            counts.append(StoredAttempts(store, clock=lambda _: now()).failed("f", error="broken"))
    with Store.open(store_url) as store:
        StoredAttempts(store, clock=lambda _: now()).forget("f")
        counts.append(StoredAttempts(store, clock=lambda _: now()).failed("f", error="broken"))

    assert counts == [1, 2, 3, 1]


OCCURRENCES = st.sampled_from(list(Occurrence))
EVENTS = st.lists(st.tuples(st.integers(0, 3), OCCURRENCES, st.booleans()), max_size=20).map(
    lambda rows: [
        structs.replace(event(str(number), told, run=f"run-{run}"))
        for number, (run, occurrence, amends) in enumerate(rows)
        for told in [Amendment(amends="x", failure=failed(occurrence)) if amends else failed(occurrence)]
    ]
)


@given(events=EVENTS, cut=st.integers(0, 20))
def test_batches_decide_what_one_batch_decides(events: list[RunEvent], cut: int) -> None:
    def decide(part: list[RunEvent], decided: set[str], history: History) -> list[tuple[str, str, str | None]]:
        made = decide_batch(
            arrivals(part), decided=decided, histories={"job-1": history}, inputs=decision_inputs(), now=START
        )
        return [(one.event.event_id, one.event.identity.run_id, one.verdict.granted_under) for one in made]

    whole = decide(events, set(), History())
    first = decide(events[:cut], set(), History())
    history = History()
    for _, _, granted_under in first:
        history = history.followed_by(granted_under)

    assert first + decide(events[cut:], {run for _, run, _ in first}, history) == whole
    assert len({run for _, run, _ in whole}) == len(whole)
