from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from agent.cluster.evidence.owners import Owners
from agent.kube import objects
from agent.observe.injection import submission

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEMPLATE = {"spec": {"containers": [{"name": "main"}], "initContainers": [{"name": "fetch"}]}}
JOB = msgspec.convert({"metadata": {"uid": "job"}, "spec": {"template": TEMPLATE}}, objects.Job)
WORKERS = {"name": "workers", "template": {"spec": {"template": {"spec": {"containers": [{"name": "train"}]}}}}}
JOB_SET = msgspec.convert({"metadata": {"uid": "set"}, "spec": {"replicatedJobs": [WORKERS]}}, objects.JobSet)
LABELS = {"jobset.sigs.k8s.io/jobset-uid": "set", "jobset.sigs.k8s.io/replicatedjob-name": "workers"}


def pod(**metadata: Any) -> objects.Pod:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": True}
    return msgspec.convert({"metadata": {"uid": "p", "ownerReferences": [owner], **metadata}}, objects.Pod)


def test_the_owners_template_tells_submitted_containers_from_injected_ones() -> None:
    owners = Owners(age=HOUR)
    assert owners.template(pod()) is None
    owners.put(JOB)

    template = owners.template(pod())
    assert template == ("main", "fetch")
    assert submission(pod(), template=template).submitted == frozenset({"main", "fetch"})


def test_a_job_sets_word_goes_before_its_jobs() -> None:
    owners = Owners(age=HOUR)
    owners.put(JOB)
    owners.put(JOB_SET)

    assert owners.template(pod(labels=LABELS)) == ("train",)
    other = {**LABELS, "jobset.sigs.k8s.io/replicatedjob-name": "driver"}
    assert owners.template(pod(labels=other)) == ("main", "fetch")


def test_an_owner_that_merely_refers_to_the_pod_submitted_nothing() -> None:
    owners = Owners(age=HOUR)
    owners.put(JOB)

    assert owners.template(pod(ownerReferences=[{"uid": "job"}])) is None


def test_an_owner_that_is_gone_is_remembered_for_a_while() -> None:
    owners = Owners(age=HOUR)
    owners.put(JOB)
    owners.remove("job", now=NOW)
    owners.remove("unheard of", now=NOW + HOUR)
    assert owners.template(pod()) == ("main", "fetch")

    owners.remove("unheard of", now=NOW + HOUR + timedelta(seconds=1))
    assert owners.template(pod()) is None
    assert len(owners) == 0


def workload(uid: str, owner: str) -> objects.MetadataOnly:
    return msgspec.convert({"metadata": {"uid": uid, "ownerReferences": [{"uid": owner}]}}, objects.MetadataOnly)


def test_a_pod_belongs_to_its_job_its_job_set_and_their_workloads() -> None:
    owners = Owners(age=HOUR)
    owners.put(workload("w1", "job"))
    owners.put(workload("w2", "set"))
    owners.put(workload("w3", "p"))
    owners.put(workload("w4", "another"))

    assert list(owners.above(pod())) == ["job", "w1", "w3"]
    assert list(owners.above(pod(labels=LABELS))) == ["job", "set", "w1", "w2", "w3"]
    assert list(owners.above(objects.Pod())) == []


def test_a_workload_that_is_gone_is_remembered_for_a_while() -> None:
    owners = Owners(age=HOUR)
    owners.put(workload("w1", "job"))
    owners.put(workload("w2", "job"))
    owners.remove("w1", now=NOW)
    assert set(owners.above(pod())) == {"job", "w1", "w2"}

    owners.remove("unheard of", now=NOW + HOUR + timedelta(seconds=1))
    assert list(owners.above(pod())) == ["job", "w2"]


def test_an_owner_that_came_back_stays() -> None:
    owners = Owners(age=HOUR)
    owners.put(JOB)
    owners.remove("job", now=NOW)
    owners.put(JOB)
    owners.remove("unheard of", now=NOW + 2 * HOUR)

    assert owners.template(pod()) == ("main", "fetch")
