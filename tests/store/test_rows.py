from datetime import UTC, datetime, timedelta, timezone
from traceback import format_exception

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import make_url, select, text

from agent.core.decision.verdict import Verdict
from agent.core.failure import Occurrence
from agent.core.history import FailedOn, History
from agent.core.limit import Charge
from agent.core.run_event import Amendment, RunEvent, RunPhase
from agent.scheduler.consume.batch import arrivals
from agent.store import attempts, failures, runs, timeline, verdicts
from agent.store.attempts import table as attempt_table
from agent.store.columns import Row
from agent.store.errors import RowRefused
from agent.store.explanations import decode_explanation, encode_explanation
from agent.store.failures import Arrival, key_line
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.tables.failures import table as failure_table
from agent.store.tables.runs import table as run_table
from agent.store.verdicts import NewVerdict
from tests.core.decision.test_decide import CASES, decided
from tests.store.events import START, event, failed

RETRY = decided(next(case for case in CASES if case["name"] == "a rule that says Retry"))
FAIL = decided(next(case for case in CASES if case["name"] == "a rule that says Fail"))
BEGAN = RETRY.past.began_at
LEGACY = decided(next(case for case in CASES if case["name"] == "off: a returned run is tried again"))


def under(key: str) -> Verdict:
    """A retry granted under another rule."""
    decider = RETRY.explanation.decider
    assert decider is not None
    return structs.replace(
        RETRY, explanation=structs.replace(RETRY.explanation, decider=structs.replace(decider, key=key))
    )


def arrived(event_id: str, *, run: str = "run-1", job: str = "job-1", after: float = 0) -> Arrival:
    told = event(event_id, failed(), run=run, job=job, after=after)
    return Arrival(event=told, failure=failed())


def decide(store: Store, *made: tuple[str, NewVerdict]) -> None:
    with store.write() as connection:
        failures.store_new(connection, [arrived(name, run=name) for name, _ in made], stored_at=START)
        verdicts.insert(connection, [one for _, one in made])


def verdict(name: str, *, job: str = "job-1", of: Verdict = RETRY, at: datetime = START) -> tuple[str, NewVerdict]:
    return name, NewVerdict(event=event(name, failed(), run=name, job=job), verdict=of, decided_at=at)


def test_what_is_raised_of_a_refused_row_quotes_none_of_its_values(store: Store) -> None:
    told = verdict("run" * 10, job="job" * 10)
    decide(store, told)

    with pytest.raises(RowRefused) as refused, store.write() as connection:
        verdicts.insert(connection, [told[1]])

    said = "".join(format_exception(refused.value))
    assert "unique" in said.lower()
    assert "runrunrun" not in said
    assert "jobjobjob" not in said


def test_an_event_is_stored_once(store: Store) -> None:
    with store.write() as connection:
        first = failures.store_new(connection, [arrived("a"), arrived("b"), arrived("a")], stored_at=START)
    with store.write() as connection:
        again = failures.store_new(connection, [arrived("b"), arrived("c")], stored_at=START)
        count = len(connection.execute(select(failure_table)).all())

    assert (first, again, count) == ({"a", "b"}, {"c"}, 3)


def test_times_come_back_in_utc(store: Store) -> None:
    in_tokyo = datetime(2026, 11, 21, 21, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    with store.write() as connection:
        failures.store_new(connection, [arrived("a")], stored_at=in_tokyo)
        back = connection.scalars(select(failure_table.c.stored_at)).one()

    assert (back, back.tzinfo) == (in_tokyo, UTC)


@pytest.mark.slow
def test_times_come_back_in_utc_if_the_address_asks_for_another_zone(postgres_store: str) -> None:
    elsewhere = make_url(postgres_store).update_query_dict({"options": "-c timezone=Asia/Tokyo"})
    with Store.open(elsewhere.render_as_string(hide_password=False)) as store, store.write() as connection:
        assert connection.scalar(text("SHOW timezone")) == "Asia/Tokyo"
        failures.store_new(connection, [arrived("a")], stored_at=START)
        back = connection.scalars(select(failure_table.c.stored_at)).one()

    assert (back, back.tzinfo) == (START, UTC)


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(RowRefused), store.write() as connection:
        failures.store_new(connection, [arrived("a")], stored_at=START.replace(tzinfo=None))


def test_a_second_verdict_on_a_run_is_refused(store: Store) -> None:
    decide(store, verdict("run-1"))

    with pytest.raises(RowRefused), store.write() as connection:
        verdicts.insert(connection, [verdict("run-1", of=FAIL)[1]])
    with store.read() as connection:
        assert verdicts.histories(connection, ["job-1"])["job-1"].retries == 1


def test_a_verdict_on_an_event_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(RowRefused), store.write() as connection:
        verdicts.insert(connection, [verdict("run-1")[1]])


def test_counts_are_those_of_granted_retries_by_rule(store: Store) -> None:
    other = under("p/other")
    decide(
        store,
        verdict("a"),
        verdict("b"),
        verdict("c", of=other),
        verdict("d", of=FAIL),
        verdict("e", of=LEGACY),
        verdict("f", job="job-2"),
    )
    with store.read() as connection:
        found = verdicts.histories(connection, ["job-1", "job-2", "job-3"])

    assert found == {
        "job-1": History(
            runs=5,
            granted={"p/oom": 2, "p/other": 1},
            ungoverned=1,
            undisturbed=3,
            charged={Charge.OOM: 3},
            nodes=(FailedOn(node="node-1", at=START),),
            began_at=BEGAN,
        ),
        "job-2": History(
            runs=1,
            granted={"p/oom": 1},
            undisturbed=1,
            charged={Charge.OOM: 1},
            nodes=(FailedOn(node="node-1", at=START),),
            began_at=BEGAN,
        ),
        "job-3": History(),
    }


def test_the_times_of_a_job_are_those_of_its_runs_and_of_its_latest_retries(store: Store) -> None:
    hour = timedelta(hours=1)
    early, late = (
        structs.replace(RETRY, past=RETRY.past._replace(began_at=START + began, lasted=hour / 4))
        for began in (-hour, hour)
    )
    decide(store, verdict("a", of=early), verdict("b", of=late, at=START + 2 * hour), verdict("c", of=FAIL))
    with store.read() as connection:
        of_all = verdicts.histories(connection, ["job-1"])["job-1"]
        of_window = verdicts.histories(connection, ["job-1"], since=START + hour)["job-1"]

    assert (of_all.began_at, of_all.ran, of_all.granted_at) == (START - hour, hour / 2, {})
    assert of_window.granted_at == {"p/oom": (START + 2 * hour,)}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_an_explanation_comes_back_as_it_was(case: dict[str, object]) -> None:
    explanation = decided(case).explanation

    assert decode_explanation(encode_explanation(explanation)) == explanation


def test_an_explanation_of_a_later_version_can_be_read() -> None:
    document = {**encode_explanation(RETRY.explanation), "weather": {"clouds": "2x"}}

    assert decode_explanation(document) == RETRY.explanation


EVENTS = [
    event("1", RunPhase.PENDING, after=0),
    event("2", RunPhase.RUNNING, after=5),
    event("3", failed(Occurrence.CONTAINER_RESTARTED), after=6),
    event("4", failed(Occurrence.DEADLINE_EXCEEDED), after=7),
    event("5", failed(), after=8),
    event("6", RunPhase.FAILED, after=9),
]


@given(order=st.permutations(EVENTS * 2), cut=st.integers(0, 12))
def test_a_run_is_the_same_in_whatever_order_its_events_come(order: list[RunEvent], cut: int) -> None:
    whole: Row = {}
    for part in (order[:cut], order[cut:]):
        for one in part:
            row = runs._row(ReceivedEvent(event=one, spool_id="s", sequence=int(one.event_id)))
            whole = runs.merge(whole, row) if whole else row

    assert (whole["phase"], whole["phase_at"]) == ("failed", START + timedelta(seconds=8))
    assert whole["first_occurred_at"] == START


def test_a_run_learns_its_node_later_and_keeps_it(store: Store) -> None:
    early = event("1", RunPhase.PENDING)
    early = structs.replace(early, pod=structs.replace(early.pod, node=""))
    for told in (early, event("2", RunPhase.RUNNING, after=1), early):
        with store.write() as connection:
            runs.record(connection, [ReceivedEvent(event=told)])
    with store.read() as connection:
        row = connection.execute(select(run_table)).mappings().one()

    assert (row["node"], row["phase"], row["first_occurred_at"]) == ("node-1", "running", START)


def test_a_run_only_gets_further_and_repeats_are_recognised(store: Store) -> None:
    pending, running, failed_later = (
        event(str(after), phase, after=after)
        for after, phase in enumerate([RunPhase.PENDING, RunPhase.RUNNING, RunPhase.FAILED])
    )
    told = [
        (ReceivedEvent(event=running, spool_id="a", sequence=7), 0, "running"),
        (ReceivedEvent(event=running, spool_id="a", sequence=7), 1, "running"),
        (ReceivedEvent(event=pending, spool_id="a", sequence=3), 1, "running"),
        (ReceivedEvent(event=running, spool_id="b", sequence=2), 0, "running"),
        (ReceivedEvent(event=pending), 0, "running"),
        (ReceivedEvent(event=failed_later, spool_id="b", sequence=9), 0, "failed"),
        (ReceivedEvent(event=running, spool_id="b", sequence=8), 1, "failed"),
        (ReceivedEvent(event=running, spool_id="a", sequence=8), 0, "failed"),
    ]
    for report, again, phase in told:
        with store.write() as connection:
            counted = runs.record(connection, [report]).repeated
            row = connection.execute(select(run_table)).mappings().one()
        assert (counted, row["phase"]) == (again, phase), report
    with store.read() as connection:
        last = connection.execute(select(run_table)).mappings().one()
    assert (last["first_occurred_at"], last["spool_id"], last["spool_sequence"]) == (START, "a", 8)


def test_what_is_told_twice_in_one_batch_is_told_again_once(store: Store) -> None:
    reports = [ReceivedEvent(event=event("1", RunPhase.RUNNING), spool_id="a", sequence=2**62)] * 2
    with store.write() as connection:
        assert runs.record(connection, reports).repeated == 1


def test_attempts_are_counted_forgotten_and_dropped_when_old(store: Store) -> None:
    later = START + attempts.KEPT + timedelta(seconds=1)
    with store.write() as connection:
        counts = [attempts.failed(connection, "a", error="bad\x00\ud800", now=START) for _ in range(3)]
        attempts.failed(connection, "b", error="bad", now=START)
        attempts.forget(connection, "b")
        again = attempts.failed(connection, "b", error="bad", now=later)
        left = connection.scalars(select(attempt_table.c.fingerprint)).all()

    assert (counts, again, left) == ([1, 2, 3], 1, ["b"])


def tell(store: Store, *told: RunEvent) -> None:
    with store.write() as connection:
        failures.store_new(connection, arrivals(told), stored_at=START)
        runs.record(connection, [ReceivedEvent(event=one) for one in told])


def test_a_timeline_has_the_runs_of_a_job_in_order(store: Store) -> None:
    tell(
        store,
        event("c", failed(), run="run-c", attempt=2, after=30),
        event("b2", Amendment(amends="b", failure=failed()), run="run-b", attempt=1, after=25),
        event("b", failed(), run="run-b", attempt=1, after=20),
        event("a", failed(), run="run-a", attempt=0, after=10),
        event("x", failed(), run="run-x", job="job-2"),
    )
    with store.read() as connection:
        of_job, of_run = timeline.find(connection, "job-1"), timeline.find(connection, "run-b")
        newest = timeline.find(connection, "job-1", newest=2)
        nothing = timeline.find(connection, "job")

    assert of_job is not None
    assert [run.run_id for run in of_job.runs] == ["run-a", "run-b", "run-c"]
    assert of_run is not None
    assert [(one.event_id, one.amends) for one in of_run.runs[0].failures] == [("b", None), ("b2", "b")]
    assert of_run.runs[0].failures[0].failure == failed()
    assert newest is not None
    assert ([run.run_id for run in newest.runs], newest.earlier_runs) == (["run-b", "run-c"], 1)
    assert nothing is None


def test_the_key_line_is_the_one_that_says_most() -> None:
    said = structs.replace(failed(), termination_message="first\nlast words\n\n", pod_error="theirs\nmore")
    plain = structs.replace(said, culprit_container="")

    assert key_line(plain) == "last words"
    assert key_line(structs.replace(plain, termination_message="")) == "theirs"
    assert key_line(structs.replace(plain, termination_message="", pod_error="")) == ""
