"""Records of submitted jobs: they have names before any of their pods was seen."""

import pytest

from agent.store.records.port import Ambiguous, Found, Kind, Named, NotFound
from agent.store.records.stored import StoredRecords
from agent.store.resources import Change, NewVersion, write
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.store.records.test_naming import seen
from tests.store.submitted.made import new_job, played, submit
from tests.store.test_jobs import tell

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
