from datetime import timedelta

import pytest

from agent.core.job_event import RequestKind
from agent.store.errors import RowRefused
from agent.store.store import Store
from agent.store.submitted.requests import JobRequest, of_job, record
from tests.core.lifecycle.made import T0
from tests.store.submitted.made import new_job, submit


def request(job_id: str, kind: RequestKind, *, after: int = 0, outcome: str = "") -> JobRequest:
    at = T0 + timedelta(seconds=after)
    return JobRequest(job_id=job_id, kind=kind, by="ann", reason="a new disk", at=at, outcome=outcome)


def test_requests_are_kept_in_the_order_in_which_they_were_made(store: Store) -> None:
    asked = [
        request("j", RequestKind.RETRY, after=2, outcome="run-open"),
        request("j", RequestKind.NEVER_RETRY, after=1),
        request("j", RequestKind.RETRY, after=3),
    ]
    with store.write() as connection:
        submit(connection, new_job("j"), new_job("k"))
        record(connection, [*asked, request("k", RequestKind.CANCEL)])

        assert of_job(connection, "j") == asked
        assert of_job(connection, "l") == []


def test_a_request_about_a_job_that_nobody_submitted_is_refused(store: Store) -> None:
    with pytest.raises(RowRefused), store.write() as connection:
        record(connection, [request("j", RequestKind.CANCEL)])
