"""Which documents of a text are Jobs and JobSets, and what is wrong with them."""

import pytest

from agent.documents.problem import ManifestError
from agent.manifests.suggestion.workloads import Workloads, read_workloads

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main}]}}}
"""
JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {generateName: train-}
spec:
  network: {enableDNSHostnames: true}
  failurePolicy: {rules: [{action: RestartJob}]}
  replicatedJobs:
  - name: a
    dependsOn: []
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main}]}}}}
"""
SERVICE = "kind: Service\nmetadata: {name: workers}\n"


def read(text: str) -> Workloads:
    return read_workloads(text, file="f.yaml")


def codes(text: str) -> list[str]:
    with pytest.raises(ManifestError) as raised:
        read(text)
    return [f"{problem.code} {problem.line}" for problem in raised.value.problems]


def test_every_job_and_jobset_is_read_with_the_services_next_to_it() -> None:
    content = read(f"---\n{SERVICE}---\n---\n{JOB}---\n{JOBSET}")

    assert [(workload.number, workload.name) for workload in content.workloads] == [
        (1, "Job train"),
        (2, "JobSet train-"),
    ]
    assert [service["metadata"] for service in content.services] == [{"name": "workers"}]
    assert len(content.documents) == 3


def test_fields_that_only_our_state_machines_do_not_support_are_accepted() -> None:
    managed = JOB.replace("spec: {", "spec: {managedBy: kueue.x-k8s.io/multikueue, manualSelector: true, ")

    assert len(read(managed).workloads) == 1


def test_what_kubernetes_refuses_is_refused() -> None:
    always, unknown = JOB.replace("Never", "Always"), JOBSET.replace("kind: JobSet", "kind: JobSet\nx: 1")

    assert codes(f"{always}---\n{unknown}") == ["Required 4", "unknown-field 8"]
    assert codes("kind: [") == ["syntax 1"]


def test_a_text_without_a_job_is_refused() -> None:
    assert codes(SERVICE) == ["no-workload 1"]
    assert codes("# nothing\n") == ["empty-document 1"]
