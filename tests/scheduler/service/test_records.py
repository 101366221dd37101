from pathlib import Path

import grpc
import pytest

from agent.api.v1 import records_pb2 as pb
from agent.client.errors import ApiError
from agent.client.records import connect
from agent.core.decision.explanation import Explanation
from agent.core.decision.explanation_text import headline
from agent.scheduler.service.plan import Intent
from agent.store.records.groups import Counts
from agent.store.store import Store
from agent.wire.values import from_struct, to_struct
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import Site, served, site
from tests.store.records.test_lists import fill

SCENARIO = "name: one\nfailures:\n- {times: 2, containers: [{name: main, exitCode: 137, reason: OOMKilled}]}\n"


def test_the_policies_in_effect_are_named_with_their_versions(api: Site) -> None:
    fill(api.store)
    text = "---\n".join([policy("a"), policy("b"), queue("q1", ["a"])])
    api.resources.put(text, who="x", intent=Intent.CREATE)
    api.resources.put(policy("a", limit=9), who="x", intent=Intent.UPDATE)

    with served(api) as address, connect(address, who="x") as client:
        of_queue = client.effective(queue="q1", annotation="b,gone")
        of_job = client.effective(job_id="job-29")
        with pytest.raises(ApiError) as refused:
            client.effective(job_id="nothing")

    assert [(one.name, one.version) for one in of_queue.policies] == [("a", 2), ("b", 1)]
    assert list(of_queue.notes) == ["policy gone is skipped: there is no such policy"]
    assert [(one.name, one.version) for one in of_job.policies] == [("a", 2)]
    assert refused.value.code is grpc.StatusCode.NOT_FOUND


def test_scenarios_are_decided_by_the_policies_in_force(api: Site) -> None:
    api.resources.put(policy("p", limit=1), who="x", intent=Intent.CREATE)
    with served(api) as address, connect(address, who="x") as client:
        first, second = client.decide(f"{SCENARIO}policies: [p]\n")
        with pytest.raises(ApiError, match="text:1:1"):
            client.decide("name: one\n")

    said = [headline(from_struct(one.explanation, Explanation)) for one in (first, second)]
    assert said[0].startswith("Retry at once: policy p, rule 1 oom says Retry")
    assert said[1].startswith("Fail: policy p, rule 1 oom says Retry, but retryLimit of the rule is used up (1 of 1)")


def test_a_call_without_a_kind_or_with_an_unfit_filter_is_refused(api: Site) -> None:
    with served(api) as address, connect(address, who="x") as client:
        for request in (
            pb.ListRecordsRequest(),
            pb.ListRecordsRequest(kind=pb.RECORD_KIND_JOB, filter=to_struct({"exit_code": "many"})),
            pb.ListRecordsRequest(kind=pb.RECORD_KIND_JOB, limit=100_000),
        ):
            with pytest.raises(ApiError) as refused:
                client.list(request)
            assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT


def test_a_filter_of_a_later_version_is_refused_once_it_is_used(api: Site) -> None:
    with served(api) as address, connect(address, who="x") as client:
        client.list(pb.ListRecordsRequest(kind=pb.RECORD_KIND_JOB, filter=to_struct({"later": None, "many": []})))
        with pytest.raises(ApiError, match="this scheduler knows no filter later; it knows") as refused:
            client.list(pb.ListRecordsRequest(kind=pb.RECORD_KIND_JOB, filter=to_struct({"later": "x"})))

    assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT


def test_records_are_counted_and_sorted(api: Site) -> None:
    fill(api.store)
    with served(api) as address, connect(address, who="x") as client:
        counts = client.count(pb.CountRecordsRequest(kind=pb.RECORD_KIND_FAILURE, by=["category", "node"], limit=2))
        found = client.list(pb.ListRecordsRequest(kind=pb.RECORD_KIND_RUN, sort="-node", limit=2))
        for refused in (
            pb.CountRecordsRequest(by=["node"]),
            pb.CountRecordsRequest(kind=pb.RECORD_KIND_RUN),
            pb.CountRecordsRequest(kind=pb.RECORD_KIND_RUN, by=["category"]),
            pb.CountRecordsRequest(kind=pb.RECORD_KIND_RUN, by=["node"], filter=to_struct({"later": "x"})),
        ):
            with pytest.raises(ApiError) as raised:
                client.count(refused)
            assert raised.value.code is grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(ApiError, match="runs are sorted by time, phase"):
            client.list(pb.ListRecordsRequest(kind=pb.RECORD_KIND_RUN, sort="category"))

    counted = from_struct(counts.counts, Counts)
    assert (counted.count, [group.value for group in counted.groups]) == (15, ["oom", "disk"])
    assert [len(group.groups) for group in counted.groups] == [2, 2]
    assert found.sort == "-node"
    assert [record["node"] for record in found.records] == ["node-4", "node-4"]


def test_a_store_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with (
        Store.open(f"sqlite:///{file}") as store,
        served(site(store)) as address,
        connect(address, who="x") as client,
    ):
        file.rename(file.with_suffix(".moved"))
        with pytest.raises(ApiError) as refused:
            client.list(pb.ListRecordsRequest(kind=pb.RECORD_KIND_JOB))

    assert refused.value.code is grpc.StatusCode.UNAVAILABLE
