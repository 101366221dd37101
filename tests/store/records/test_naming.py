from collections.abc import Iterable
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import delete

from agent.core.run_event import RunEvent, RunPhase
from agent.store.records.port import Ambiguous, Candidate, Found, Kind, NotFound
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from agent.store.tables.jobs import table as job_table
from agent.store.tables.runs import table as run_table
from tests.store.events import START, event, failed
from tests.store.test_jobs import sqlite, tell
from tests.store.test_rows import FAIL

__all__ = ["sqlite"]


def seen(run: str, *, job: str, pod: str = "pod", namespace: str = "jobs", after: float = 0) -> RunEvent:
    told = event(f"{run}-{after}", RunPhase.PENDING, run=run, job=job, after=after)
    return structs.replace(told, pod=structs.replace(told.pod, name=pod, namespace=namespace))


RUNS = [
    seen("f00d-0001-4e3a", job="01stet4bxyz", pod="armada-01stet4bxyz-0", after=0),
    seen("f00d-0002-5e3a", job="01stet4bxyz", pod="armada-01stet4bxyz-0", after=1),
    seen("beef-0003-7777", job="01stabcdxyz", pod="web-0", namespace="a", after=2),
    seen("cafe-0004-7778", job="02other9qrs", pod="web-0", namespace="b", after=3),
    seen("lone-one", job="lone-one", pod="lonely", after=4),
]


@pytest.fixture
def records(store: Store) -> StoredRecords:
    tell(store, RUNS, {})
    return StoredRecords(store)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("01stet4bxyz", Found(kind=Kind.JOB, id="01stet4bxyz")),
        ("f00d-0001-4e3a", Found(kind=Kind.RUN, id="f00d-0001-4e3a")),
        ("lone-one", Found(kind=Kind.JOB, id="lone-one")),
        ("01ste", Found(kind=Kind.JOB, id="01stet4bxyz")),
        ("9qrs", Found(kind=Kind.JOB, id="02other9qrs")),
        ("et4bxyz", Found(kind=Kind.JOB, id="01stet4bxyz")),
        ("-4e3a", Found(kind=Kind.RUN, id="f00d-0001-4e3a")),
        ("beef", Found(kind=Kind.RUN, id="beef-0003-7777")),
        ("f00d", Found(kind=Kind.JOB, id="01stet4bxyz")),
        ("lone-", Found(kind=Kind.JOB, id="lone-one")),
        ("armada-01stet4bxyz-0", Found(kind=Kind.JOB, id="01stet4bxyz")),
        ("jobs/armada-01stet4bxyz-0", Found(kind=Kind.JOB, id="01stet4bxyz")),
        ("a/web-0", Found(kind=Kind.JOB, id="01stabcdxyz")),
        ("c/web-0", NotFound()),
        ("777", NotFound(too_short=True)),
        ("", NotFound()),
        ("gone", NotFound()),
        ("0001", NotFound()),
        ("F00D", NotFound()),
        ("f%%%", NotFound()),
        ("____", NotFound()),
        ("f00d\x00", NotFound()),
        ("f00d\udcff", NotFound()),
        ("\U0010ffff" * 5, NotFound()),
    ],
)
def test_a_text_names_one_job_or_run_or_nothing(records: StoredRecords, text: str, found: object) -> None:
    assert records.named(text) == found


def test_a_pod_name_in_several_places_names_none_of_their_jobs(records: StoredRecords) -> None:
    assert records.named("web-0") == Ambiguous(
        candidates=(job("02other9qrs", after=3), job("01stabcdxyz", after=2)), count=2
    )


def test_of_several_that_fit_jobs_come_first(records: StoredRecords) -> None:
    assert records.named("01st") == Ambiguous(
        candidates=(job("01stabcdxyz", after=2), job("01stet4bxyz", after=1)), count=2
    )


def test_a_pod_name_used_again_names_the_newest_job_and_the_earlier_ones(store: Store) -> None:
    again = [seen(f"run-{number:02}", job=f"job-{number:02}", pod="train-0", after=number) for number in range(12)]
    tell(store, again, {})

    found = StoredRecords(store).named("train-0")

    assert isinstance(found, Found)
    assert (found.id, found.earlier_count) == ("job-11", 11)
    assert found.earlier == tuple(job(f"job-{number:02}", after=number) for number in range(10, 0, -1))


def test_a_pod_name_used_again_in_another_cluster_names_none(store: Store) -> None:
    elsewhere = seen("run-2", job="job-2", pod="train-0", after=1)
    other = structs.replace(elsewhere, cluster="west", cluster_id="w")
    tell(store, [seen("run-1", job="job-1", pod="train-0"), other], {})

    assert isinstance(StoredRecords(store).named("train-0"), Ambiguous)


def test_what_may_be_meant_has_a_time_a_state_and_a_category(store: Store) -> None:
    tell(store, [event("e1", failed(), run="run-1-same", job="job-1-same", after=5)], {"e1": FAIL})

    found = StoredRecords(store).named("same")

    assert found == Found(kind=Kind.JOB, id="job-1-same")
    tell(store, [event("e2", failed(), run="run-2-same", job="job-2-same", after=7)], {"e2": FAIL})
    several = StoredRecords(store).named("-same")
    assert isinstance(several, Ambiguous)
    assert [(one.id, one.at - START, one.state, one.category) for one in several.candidates] == [
        ("job-1-same", timedelta(seconds=5), "still-failed", "oom"),
        ("job-2-same", timedelta(seconds=7), "still-failed", "oom"),
        ("run-1-same", timedelta(seconds=5), "failed", "oom"),
        ("run-2-same", timedelta(seconds=7), "failed", "oom"),
    ]


def job(job_id: str, *, after: float) -> Candidate:
    at = START + timedelta(seconds=after)
    return Candidate(kind=Kind.JOB, id=job_id, job_id=job_id, at=at, state="running", category="")


def test_ten_of_many_are_named_and_all_are_counted(store: Store) -> None:
    tell(store, [seen(f"run-{number:02}-same", job=f"job-{number:02}-same") for number in range(25)], {})
    records = StoredRecords(store)

    for text, count in (("same", 50), ("job-", 25), ("run-", 25), ("job-0", 10)):
        found = records.named(text)
        assert isinstance(found, Ambiguous), text
        assert (len(found.candidates), found.count) == (10, count), text


def test_what_begins_and_ends_alike_is_counted_once(store: Store) -> None:
    tell(store, [seen(f"r{number:02}", job=f"same-{number:02}-same") for number in range(12)], {})

    found = StoredRecords(store).named("same")
    assert isinstance(found, Ambiguous)
    assert found.count == 12


def fits(ids: Iterable[str], part: str) -> set[str]:
    return {one for one in ids if one.startswith(part) or one.endswith(part)}


IDS = st.text(st.sampled_from("ab\u00e9\U0001f600"), min_size=4, max_size=6)


@pytest.mark.slow
@given(
    pairs=st.dictionaries(IDS, IDS, min_size=1, max_size=8),
    part=st.text(st.sampled_from("ab\u00e9\U0001f600"), min_size=4, max_size=5),
)
def test_a_part_names_what_a_look_at_all_ids_finds(sqlite: Store, pairs: dict[str, str], part: str) -> None:
    """``pairs``: the job of each run."""
    with sqlite.write() as connection:
        for table in (job_table, run_table):
            connection.execute(delete(table))
    tell(sqlite, [seen(run, job=job) for run, job in pairs.items()], {})
    found = StoredRecords(sqlite).named(part)

    jobs, runs = fits(set(pairs.values()), part), fits(pairs, part)
    owners = jobs | {pairs[run] for run in runs}
    if part in pairs.values() or part in pairs:
        kind = Kind.JOB if part in pairs.values() else Kind.RUN
        assert found == Found(kind=kind, id=part)
    elif not owners:
        assert found == NotFound()
    elif len(owners) > 1:
        assert isinstance(found, Ambiguous)
        assert {(one.kind, one.id) for one in found.candidates} <= {(Kind.JOB, one) for one in jobs} | {
            (Kind.RUN, one) for one in runs
        }
    elif jobs or len(runs) > 1:
        assert found == Found(kind=Kind.JOB, id=owners.pop())
    else:
        assert found == Found(kind=Kind.RUN, id=runs.pop())


def test_a_namespace_without_a_name_is_no_pod(store: Store) -> None:
    tell(store, [seen("f00d-0001", job="job-0001", pod="", namespace="n")], {})

    assert StoredRecords(store).named("n/") == NotFound(too_short=True)


def test_a_table_shows_the_first_end_that_names_no_other(records: StoredRecords) -> None:
    wanted = ["01stet4bxyz", "02other9qrs", "f00d-0001-4e3a"]

    shown = records.shortest_names(wanted, ends=lambda whole: (whole[-3:], "f00d", whole[-4:]))

    assert shown == {"01stet4bxyz": "f00d", "02other9qrs": "9qrs", "f00d-0001-4e3a": "4e3a"}
    assert all(records.named(end) == records.named(whole) for whole, end in shown.items())
