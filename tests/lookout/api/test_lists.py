"""What people ask of the lists over HTTP: the stories of the proposal, and what is refused."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from agent.core.failure import Failure
from agent.core.run_event import RunEvent, RunPhase
from agent.lookout.query.columns import LISTS
from agent.lookout.store.recording import record
from tests.lookout.api.serving import Client, empty_store, served
from tests.store.events import event, failed

GPU = failed(categories=["gpu", "xid"], origin="infra", subcategory="fallen-off")


def sent(now: datetime) -> Iterator[RunEvent]:
    """Events of this moment."""

    def at(event_id: str, content: Failure | RunPhase, *, run: str, job: str) -> RunEvent:
        return replace(event(event_id, content, run=run, job=job), occurred_at=now, observed_at=now)

    yield at("e1", failed(origin="user"), run="r1", job="recovered")
    yield at("e2", RunPhase.SUCCEEDED, run="r2", job="recovered")
    yield at("e3", GPU, run="r3", job="broken")
    yield at("e4", GPU, run="r4", job="broken")
    yield at("e5", RunPhase.RUNNING, run="r5", job="fine")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with empty_store(tmp_path_factory.mktemp("lookout")) as store:
        with store.write() as connection:
            record(connection, [*sent(datetime.now(UTC))])
        with served(store) as found:
            yield found


def got(client: Client, path: str) -> Any:  # noqa: ANN401 - as JSON has it
    answer = client.get(f"/api/v1/{path}")
    assert answer.status == 200, answer.text
    return answer.json


def ids(client: Client, path: str, key: str = "jobId") -> list[str]:
    return [item[key] for item in got(client, path)["items"]]


def test_a_failed_job_is_found_by_its_category(client: Client) -> None:
    assert ids(client, "jobs?category=gpu/fallen-off") == ["broken"]
    assert (ids(client, "jobs?category=xid"), ids(client, "jobs?categories=xid")) == ([], ["broken"])
    assert ids(client, "jobs?category=oom&category=gpu&state=any-failure&sort=firstAt") == ["broken", "recovered"]
    assert ids(client, "jobs?category=oom&state=still-failed") == []


def test_its_reason_and_its_attempts_are_in_the_row(client: Client) -> None:
    (job,) = got(client, "jobs?jobId=broken")["items"]

    assert (job["observed"], job["runCount"], job["failedRunCount"]) == ("still-failed", 2, 2)
    assert [run["runId"] for run in job["runs"]] == ["r4", "r3"]
    assert job["runs"][0]["failureInfo"] == {
        "exitCode": 137,
        "terminationMessage": "last words",
        "categories": ["gpu", "xid"],
        "containerName": "main",
    }
    assert job["runs"][0]["reason"] == "OOMKilled"


def test_infrastructure_against_user_errors_this_week_in_one_request(client: Client) -> None:
    found = got(client, "groups/failures?by=origin&since=7d")

    assert (found["count"], found["origins"], found["base"]) == (3, {"infra": 2, "user": 1}, "rollups")


@pytest.mark.parametrize(
    ("state", "jobs"),
    [("any-failure", ["recovered", "broken"]), ("still-failed", ["broken"]), ("recovered", ["recovered"])],
)
def test_jobs_by_what_came_of_their_failures(client: Client, state: str, jobs: list[str]) -> None:
    assert ids(client, f"jobs?state={state}&sort=-firstAt") == sorted(jobs, reverse=True)


def test_a_link_is_a_page_of_a_list(client: Client) -> None:
    first = got(client, "runs?limit=3&count=true&since=1h")
    assert first["count"] == {"number": 5, "more": False, "text": "5"}

    rest = got(client, f"runs?limit=3&count=true&since=1h&after={first['next']}")
    assert rest["next"] is None
    assert [item["runId"] for item in first["items"] + rest["items"]] == ["r5", "r4", "r3", "r2", "r1"]


def test_all_that_is_wrong_is_a_fault_of_a_problem(client: Client) -> None:
    answer = client.get("/api/v1/runs?categroy=gpu&exitCode.gte=x")

    assert (answer.status, answer.code) == (400, "invalid-request")
    assert [(fault["parameter"], fault["fix"]) for fault in answer.json["errors"]] == [
        ("exitCode.gte", ""),
        ("categroy", "did you mean `category`?"),
    ]


@pytest.mark.parametrize("name", LISTS)
def test_the_document_declares_each_column_with_each_operator(client: Client, name: str) -> None:
    found = got(client, "openapi.json")
    shared = found["components"]["parameters"]
    parameters = found["paths"][f"/api/v1/{name}"]["get"]["parameters"]
    references = [parameter.get("$ref", "").rpartition("/")[2] for parameter in parameters]
    names = {shared.get(to, parameter).get("name") for to, parameter in zip(references, parameters, strict=True)}

    of = LISTS[name]
    expected = {column.parameter(operator) for column in of.columns for operator in column.operators}
    assert names == expected | {"since", "until", "sort", "limit", "after", "count"}


@pytest.mark.parametrize("path", ["jobs", "groups/runs", "facets/failures", "series", "tops/node", "tops/retrying"])
@pytest.mark.parametrize(
    "query", ["x=1", "queue=%ED%A0%80", "after=~", "since=x", "by=,", "limit=-1", "queue.x=1", "=1"]
)
def test_junk_is_refused(client: Client, path: str, query: str) -> None:
    answer = client.get(f"/api/v1/{path}?{query}")

    assert answer.status in (200, 400)
    assert answer.status == 200 or answer.json["errors"][0]["parameter"] == query.partition("=")[0]
