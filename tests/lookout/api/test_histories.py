"""One job, one run and one failure over HTTP."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from agent.core.job_event import JobSubmitted
from agent.core.lifecycle.state import State
from agent.lookout.store.recording import record
from tests.lookout.api.serving import Client, empty_store, served
from tests.lookout.query.test_histories import STORY
from tests.lookout.store.test_jobs import job_event
from tests.store.events import event, failed

SUBMITTED = job_event(1, JobSubmitted(client_id="nightly"), State.QUEUED)
NAMED = [replace(SUBMITTED, event_id=f"j-{number}", job_id=f"named-{number}") for number in range(5)]

LONG = {"job": "j" * 450, "run": "r" * 450, "failure": "f" * 450}
OF_LONG = event(LONG["failure"], failed(), run=LONG["run"], job=LONG["job"])


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with empty_store(tmp_path_factory.mktemp("lookout")) as store:
        with store.write() as connection:
            record(connection, [*STORY, event("e-slash", failed(), run="run/..%2F", job="team/a%2Fb"), *NAMED, OF_LONG])
        with served(store) as found:
            yield found


@pytest.mark.parametrize("path", ["jobs/job-1", "runs/run-0", "failures/e0"])
def test_each_is_read_by_its_id(client: Client, path: str) -> None:
    answer = client.get(f"/api/v1/{path}")

    assert answer.status == 200
    assert path.rpartition("/")[2] in answer.text


@pytest.mark.parametrize(("noun", "id"), [("job", "team/a%2Fb"), ("run", "run/..%2F")])
def test_an_id_may_have_slashes(client: Client, noun: str, id: str) -> None:  # noqa: A002 - the path names it
    answer = client.get(f"/api/v1/{noun}s/{quote(id, safe='')}")

    assert (answer.status, answer.json[f"{noun}Id"]) == (200, id)


@pytest.mark.parametrize("noun", LONG)
def test_an_id_that_is_cut_is_found_whole(client: Client, noun: str) -> None:
    assert client.get(f"/api/v1/{noun}s/{LONG[noun]}").status == 200


def test_corrections_are_found_by_an_id_that_is_cut(client: Client) -> None:
    given = {"failureId": LONG["failure"], "category": "gpu", "origin": "infra"}
    made = client.post("/api/v1/corrections", given)

    assert made.status == 201
    assert client.get(f"/api/v1/corrections?runId={LONG['run']}").json["items"] == [made.json]


@pytest.mark.parametrize("noun", ["job", "run", "failure"])
def test_what_is_not_there_says_why_that_may_be(client: Client, noun: str) -> None:
    answer = client.get(f"/api/v1/{noun}s/none")

    assert (answer.status, answer.code) == (404, f"no-such-{noun}")
    assert "pruned" in answer.json["detail"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("jobs/run-1", "it is the run id of /api/v1/runs/run-1"),
        ("jobs/run%2F..%252F", "it is the run id of /api/v1/runs/run%2F..%252F"),
        ("runs/job-1", "it is the job id of /api/v1/jobs/job-1"),
        ("runs/e0", "it is the failure id of /api/v1/runs/run-0"),
        ("failures/pod-run-x", "it is the pod name of /api/v1/runs/run-x"),
        ("jobs/nightly", "of 2 more: ask for that"),
    ],
)
def test_an_id_of_something_else_says_what_to_ask_instead(client: Client, path: str, says: str) -> None:
    answer = client.get(f"/api/v1/{path}")

    assert (answer.status, answer.code) == (404, f"no-such-{path.partition('s/')[0]}")
    assert says in answer.json["detail"]


def test_all_jobs_that_have_a_client_id_are_listed(client: Client) -> None:
    listed = client.get("/api/v1/jobs/nightly").json["meant"]

    assert {known["jobId"] for known in listed} == {told.job_id for told in NAMED}
    assert {known["knownAs"] for known in listed} == {"client id"}
    assert [known["runId"] for known in listed] == [None] * len(NAMED)


def test_no_id_at_all_means_nothing(client: Client) -> None:
    answer = client.get("/api/v1/jobs/")

    assert (answer.status, answer.code, "meant" in answer.json) == (404, "no-such-job", False)
