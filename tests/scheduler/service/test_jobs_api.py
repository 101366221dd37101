"""Jobs over the API: every field of the answers, and the codes of errors."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
import structlog.testing

from agent.api.v1 import job_pb2 as pb
from agent.client.errors import ApiError
from agent.client.jobs import JobClient, connect
from agent.scheduler.service.plan import Intent
from agent.store.store import Store
from agent.wire.time import read_time
from tests.manifests.resource.documents import queue
from tests.scheduler.service.site import AT, Site, served, site
from tests.scheduler.service.test_submitting import pod
from tests.store.databases import new_store


@pytest.fixture
def client(api: Site) -> Iterator[JobClient]:
    api.resources.put(queue("ml"), who="alice", intent=Intent.CREATE)
    with served(api) as address, structlog.testing.capture_logs(), connect(address, who="zoë") as opened:
        yield opened


def test_a_job_is_submitted_read_and_cancelled(client: JobClient) -> None:
    (result,) = client.submit(pod(), queue="ml")
    (standing,) = client.get([result.job_id])
    (cancelled,) = client.cancel([result.job_id], reason="a mistake")
    (ended,) = client.get([result.job_id])

    assert result == pb.SubmitResult(
        job_id="job-0001", name="team/train", queue="ml", line=1, outcome=pb.SUBMIT_OUTCOME_SUBMITTED
    )
    assert (standing.queue, standing.client_id, standing.submitted_by) == ("ml", "team/train", "zoë")
    assert (standing.state, standing.ending, standing.wait) == (
        pb.JOB_STATE_QUEUED,
        pb.JOB_STATE_UNSPECIFIED,
        "no cluster offers runs",
    )
    assert read_time(standing.submitted_time) == AT
    assert (cancelled.outcome, cancelled.state) == (pb.REQUEST_OUTCOME_DONE, pb.JOB_STATE_CANCELLED)
    assert (ended.state, ended.ending, ended.ended_by) == (pb.JOB_STATE_CANCELLED, pb.JOB_STATE_CANCELLED, "cancel")
    assert read_time(ended.ended_time) == AT


def test_retry_and_never_retry_answer_for_each_job(client: JobClient) -> None:
    client.submit(pod(), queue="ml")

    (never,) = client.never_retry(["job-0001"])
    refused, missing = client.retry(["job-0001", "job-9999"], again=True)

    assert never.outcome == pb.REQUEST_OUTCOME_DONE
    assert (refused.outcome, missing.outcome) == (pb.REQUEST_OUTCOME_REFUSED, pb.REQUEST_OUTCOME_NOT_FOUND)
    assert missing.message == "there is no submitted job job-9999"


def test_a_text_with_errors_is_an_invalid_argument(client: JobClient) -> None:
    with pytest.raises(ApiError, match="a Pod names no queue") as refused:
        client.submit(pod())

    assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.slow
def test_an_answer_that_is_larger_than_a_file_arrives(tmp_path: Path) -> None:
    job = f"{{namespace: a, clientId: {'c' * 90}NUMBER, podSpec: {{containers: [{{name: a}}]}}}}"
    texts = [
        f"queue: {letter * 63}\njobSetId: s\njobs: [{','.join(job.replace('NUMBER', f'{n}') for n in range(3_600))}]\n"
        for letter in "abc"
    ]
    with (
        Store.open(new_store(tmp_path)) as store,
        served(site(store)) as address,
        structlog.testing.capture_logs(),
        connect(address, who="zoë") as client,
    ):
        results = client.submit("---\n".join(texts), dry_run=True)

    assert {result.outcome for result in results} == {pb.SUBMIT_OUTCOME_REFUSED}
    assert sum(result.ByteSize() for result in results) > 4 << 20
