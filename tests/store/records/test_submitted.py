"""Records of submitted jobs: they have names before any of their pods was seen."""

from datetime import timedelta

import pytest
from msgspec import structs

from agent.store.records.filters import FailureFilter, JobCondition, JobFilter, Part, RunFilter, VerdictFilter
from agent.store.records.port import Ambiguous, Found, JobRecord, Kind, Named, NotFound
from agent.store.records.stored import StoredRecords
from agent.store.resources import Change, NewVersion, write
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.store.events import START, event, failed
from tests.store.records.test_lists import everything
from tests.store.records.test_naming import seen
from tests.store.submitted.made import new_job, played, submit
from tests.store.test_jobs import tell
from tests.store.test_rows import FAIL

ANY = JobFilter()
DECIDED = {"f1": FAIL, "f2": FAIL}
J1, J2, J3 = "01kb0000first0", "01kb0000secnd0", "01kz1111third9"


@pytest.fixture
def records(store: Store) -> StoredRecords:
    """Three jobs of two queues; a pod of the second was seen, which has a name that a client id has, too."""
    with store.write() as connection:
        for name in ("ml", "batch"):
            queue = NewVersion(
                kind="Queue", name=name, uid=name, text="", change=Change.CREATED, at=T0, by="a", note=""
            )
            write(connection, queue)
        played(connection, J1, ["0 leased r1 confirmed"], client_id="team/train")
        submit(connection, new_job(J2, client_id="team/eval"), new_job(J3, client_id="team/train", queue="batch"))
    tell(store, [seen("f00d-0001", job=J2, pod="eval", namespace="team"), seen("f00d-0002", job="other")], {})
    return StoredRecords(store)


def job(job_id: str) -> Named:
    return Found(kind=Kind.JOB, id=job_id)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (J1, job(J1)),
        (J2, job(J2)),
        ("first0", job(J1)),
        ("secnd0", job(J2)),
        ("01kz", job(J3)),
        ("team/eval", job(J2)),
        ("eval", job(J2)),
        ("f00d-0002", Found(kind=Kind.RUN, id="f00d-0002")),
        ("team/gone", NotFound()),
    ],
)
def test_a_submitted_job_is_named_by_its_id_a_part_of_it_or_its_client_id(
    records: StoredRecords, text: str, found: Named
) -> None:
    assert records.named(text) == found


@pytest.mark.parametrize(
    ("text", "states"), [("team/train", {J1: "leased", J3: "queued"}), ("01kb", {J1: "leased", J2: "queued"})]
)
def test_several_that_fit_have_the_state_of_what_was_submitted(
    records: StoredRecords, text: str, states: dict[str, str]
) -> None:
    found = records.named(text)

    assert isinstance(found, Ambiguous)
    assert ({one.id: one.state for one in found.candidates}, found.count) == (states, len(states))


def test_a_table_shows_an_end_that_names_no_other_job(records: StoredRecords) -> None:
    shown = records.shortest_names([J1, J3], ends=lambda whole: (whole[:4], whole[-6:]))

    assert shown == {J1: "first0", J3: "01kz"}


def test_many_jobs_that_were_submitted_and_seen_are_counted_once(store: Store) -> None:
    ids = [f"01kb-{number:02}-same" for number in range(15)]
    with store.write() as connection:
        submit(connection, *map(new_job, ids))
    tell(store, [seen(f"run-{job_id}", job=job_id) for job_id in ids[:7]], {})

    found = StoredRecords(store).named("01kb-")

    assert isinstance(found, Ambiguous)
    assert found.count == 15


def listed(store: Store, wanted: JobFilter = ANY, limit: int = 3) -> list[tuple[str, str]]:
    """The ids and states of all jobs that fit, page by page."""
    records, part, found = StoredRecords(store, searched=5), Part(limit=limit), list[JobRecord]()
    while True:
        page = records.jobs(wanted, part)
        found += page.records
        if page.after is None:
            return [(one.job_id, one.state) for one in found]
        part = structs.replace(part, after=page.after)


@pytest.fixture
def both(store: Store) -> Store:
    """Every third job is only observed, every third only submitted, every third both."""
    for number in range(12):
        job_id, at = f"job-{number:02}", START + timedelta(seconds=number)
        if number % 3:
            with store.write() as connection:
                lines = ["0 leased r confirmed".replace("r ", f"r{number} ")] if number % 2 else []
                played(connection, job_id, lines, submitted_at=at, queue=f"q{number % 2}")
        if number % 3 < 2:
            tell(store, [seen(f"run-{job_id}", job=job_id, after=number)], {})
    return store


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_jobs_are_listed_once_the_newest_first_whether_submitted_or_observed(both: Store, limit: int) -> None:
    found = listed(both, limit=limit)

    assert [job_id for job_id, _ in found] == [f"job-{number:02}" for number in reversed(range(12))]
    assert [state for _, state in found[:4]] == ["leased", "queued", "running", "queued"]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (JobFilter(state=JobCondition.LEASED), [11, 7, 5, 1]),
        (JobFilter(state=JobCondition.QUEUED, queue="q0"), [8, 2]),
        (JobFilter(state=JobCondition.RUNNING), [9, 6, 3, 0]),
        (JobFilter(state=JobCondition.STILL_FAILED), []),
        (JobFilter(queue="q1"), [11, 5]),
        (JobFilter(owner="ann"), [11, 10, 8, 7, 5, 4, 2, 1]),
        (JobFilter(owner=""), [9, 6, 3, 0]),
        (JobFilter(owner="bob"), []),
        (JobFilter(node="node-1"), [10, 9, 7, 6, 4, 3, 1, 0]),
        (JobFilter(cluster="east"), [10, 9, 7, 6, 4, 3, 1, 0]),
        (JobFilter(namespace="jobs", job_set="set"), list(reversed(range(12)))),
    ],
)
def test_jobs_are_found_by_the_state_that_they_are_shown_with(
    both: Store, wanted: JobFilter, numbers: list[int]
) -> None:
    assert [job_id for job_id, _ in listed(both, wanted)] == [f"job-{number:02}" for number in numbers]


def test_a_job_that_waits_for_its_first_run_has_what_was_submitted(store: Store) -> None:
    with store.write() as connection:
        submit(connection, new_job("job-1", client_id="team/train", submitted_at=START))

    (record,) = StoredRecords(store).jobs(JobFilter()).records

    assert (record.state, record.queue, record.job_set, record.namespace) == ("queued", "ml", "set", "jobs")
    assert (record.client_id, record.runs, record.latest_run, record.cluster) == ("team/train", 0, "", "")
    assert record.first_at == record.last_at == START
    assert (record.owner, record.pod_name, record.node) == ("ann", "", "")


@pytest.mark.parametrize("wanted", [RunFilter, FailureFilter, VerdictFilter])
def test_runs_failures_and_verdicts_are_found_by_who_submitted_their_job(
    store: Store, wanted: type[RunFilter | FailureFilter | VerdictFilter]
) -> None:
    with store.write() as connection:
        played(connection, "job-1", ["0 leased r1 confirmed"])
    tell(store, [event("f1", failed(), run="r1", job="job-1"), event("f2", failed(), run="r2", job="job-2")], DECIDED)

    hers, nobodys = (everything(StoredRecords(store), wanted(owner=name), Part()) for name in ("ann", ""))

    assert [(record.job_id, record.owner) for record in hers] == [("job-1", "ann")]
    assert [(record.job_id, record.owner) for record in nobodys] == [("job-2", "")]
