"""What is submitted: every field of both kinds of documents."""

from agent.core.submission.submission import Submission
from agent.manifests.lint import lint
from agent.manifests.submission.read import read_submissions

JOBS = """\
queue: ml
jobSetId: nightly
jobs:
- namespace: team
  clientId: train-1
  priority: 2
  labels: {app: a}
  annotations: {armadaproject.io/retry-policy: "infra, own"}
  podSpec:
    restartPolicy: Never
    terminationGracePeriodSeconds: 010
    containers: [{name: main, image: busybox, resources: {limits: {cpu: 1}}}]
- namespace: team
  ingress: []
  podSpecs: [{restartPolicy: Never, containers: [{name: main, image: busybox}]}]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, creationTimestamp: null, labels: {app: a}}
spec:
  containers: [{name: main, image: busybox, resources: {}}]
status: {}
"""
MAIN = {"name": "main", "image": "busybox"}


def submitted(text: str, queue: str = "") -> list[Submission]:
    return [job.submission for job in read_submissions(text, file="f.yaml", queue=queue).value_or_raise()]


def test_every_field_of_a_jobs_file() -> None:
    assert submitted(JOBS) == [
        Submission(
            queue="ml",
            job_set="nightly",
            namespace="team",
            client_id="train-1",
            priority=2.0,
            labels={"app": "a"},
            annotations={"armadaproject.io/retry-policy": "infra, own"},
            retry_policies=("infra", "own"),
            pod_spec={
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 8,
                "containers": [{**MAIN, "resources": {"limits": {"cpu": 1}}}],
            },
        ),
        Submission(
            queue="ml",
            job_set="nightly",
            namespace="team",
            pod_spec={"restartPolicy": "Never", "containers": [MAIN]},
        ),
    ]


def test_a_pod_is_identified_by_its_name_and_starts_once() -> None:
    read = read_submissions(POD, file="f.yaml", queue="ml")

    assert [job.submission for job in read.value_or_raise()] == [
        Submission(
            queue="ml",
            namespace="default",
            name="train",
            client_id="default/train",
            labels={"app": "a"},
            pod_spec={"containers": [{**MAIN, "resources": {}}], "restartPolicy": "Never"},
        )
    ]
    assert [(one.code, one.severity, one.line) for one in read.problems] == [("restart-policy", "warning", 5)]


def test_each_document_of_a_text_submits_its_jobs_and_knows_its_line() -> None:
    read = read_submissions(f"{JOBS}---\n{POD}", file="f.yaml", queue="ml")

    assert [job.line for job in read.jobs] == [4, 13, 17]
    assert [len(job.findings) for job in read.jobs] == [0, 0, 1]


def test_the_queue_of_a_file_may_be_given_beside_it() -> None:
    assert {job.queue for job in submitted(JOBS.removeprefix("queue: ml\n"), queue="batch")} == {"batch"}
    assert {job.queue for job in submitted(JOBS, queue="ml")} == {"ml"}


def test_lint_knows_both_kinds_and_reads_them_as_they_are_submitted() -> None:
    pod = POD.replace("image: busybox", "image: busybox, tty: yes, imagee: b")

    problems = lint(f"{JOBS.removeprefix('queue: ml')}---\n{pod}", file="f.yaml")

    assert [(one.code, one.path) for one in problems] == [("unknown-field", "spec.containers[0].imagee")]
