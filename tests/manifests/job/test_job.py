"""Jobs that people write: what is refused, where, and with which words."""

import pytest

from agent.core.job.manifest import Choices
from agent.core.job.rules import OurRule
from agent.manifests.job.load import load_job
from agent.manifests.lint import lint

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: a
{annotations}spec:
{spec}
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: example
"""


def job(spec: str = "  parallelism: 1", annotations: str = "") -> str:
    return JOB.format(spec=spec, annotations=annotations)


@pytest.mark.parametrize(
    ("spec", "line", "path", "message"),
    [
        ("  backofLimit: 3", 6, "spec.backofLimit", "unknown field `backofLimit`"),
        ("  parallelism: '3'", 6, "spec.parallelism", "expected a whole number, found text"),
        (
            "  podFailurePolicy:\n    rules:\n    - action: FailIndex\n      onExitCodes: {operator: In, values: [1]}",
            8,
            "spec.podFailurePolicy.rules[0].action",
            'Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        ),
        (
            "  completionMode: Indexed\n  parallelism: 2",
            6,
            "spec.completions",
            "Required value: when completion mode is Indexed",
        ),
        (
            "  managedBy: kueue.x-k8s.io/multikueue",
            6,
            "spec.managedBy",
            "`managedBy` `kueue.x-k8s.io/multikueue` is not supported: another controller owns the Job",
        ),
        (
            "  selector: {matchLabels: {a: b}}",
            6,
            "spec.selector",
            "`selector` is not supported: pods are found by their Job",
        ),
        (
            "  manualSelector: true",
            6,
            "spec.manualSelector",
            "`manualSelector` is not supported: pods are found by their Job",
        ),
    ],
)
def test_each_problem_has_its_place(spec: str, line: int, path: str, message: str) -> None:
    (problem,) = lint(job(spec), file="job.yaml")

    assert (problem.line, problem.path, problem.message) == (line, path, message)


def test_a_name_too_long_for_its_last_index_is_refused() -> None:
    text = job("  completionMode: Indexed\n  completions: 1000").replace("name: a\n", f"name: {'a' * 60}\n", 1)
    (problem,) = lint(text, file="job.yaml")

    assert problem.path == "metadata.name"
    assert "will not able to create pod with invalid DNS label" in problem.message


@pytest.mark.parametrize(
    ("metadata", "path", "message"),
    [
        ("name: A_b", "metadata.name", 'Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of'),
        ("generateName: A-", "metadata.name", 'Invalid value: "A-xxxxx": a lowercase RFC 1123 subdomain must'),
        ("labels: {a: b}", "metadata.name", "Required value: name or generateName is required"),
    ],
)
def test_names_are_the_api_servers_to_refuse(metadata: str, path: str, message: str) -> None:
    (problem,) = lint(job().replace("name: a\n", f"{metadata}\n", 1), file="job.yaml")

    assert problem.path == path
    assert problem.message.startswith(message)


def test_a_job_whose_name_is_drawn_is_taken() -> None:
    made = load_job(job().replace("name: a\n", "generateName: train-\n", 1), file="job.yaml")

    assert made.name == "train-xxxxx"


@pytest.mark.parametrize("label", ["batch.kubernetes.io/controller-uid", "controller-uid"])
def test_the_selector_that_kubernetes_wrote_itself_is_taken(label: str) -> None:
    exported = job(f"  manualSelector: false\n  selector: {{matchLabels: {{{label}: 7-7}}}}")

    assert lint(exported.replace("name: a\n", "name: a\n  uid: 7-7\n", 1), file="job.yaml") == ()
    assert len(lint(exported, file="job.yaml")) == 1


def test_policies_without_rules_are_as_the_api_server_takes_them() -> None:
    assert lint(job("  podFailurePolicy: {}"), file="job.yaml") == ()
    (problem,) = lint(job("  completionMode: Indexed\n  completions: 1\n  successPolicy: {}"), file="job.yaml")

    assert problem.path == "spec.successPolicy.rules"
    assert problem.message == "Required value: at least one rules must be specified when the successPolicy is specified"


ANNOTATIONS = """\
  annotations:
    failure-agent.dev/job-delay-ignored: "false"
    armadaproject.io/retry-policy: a, b
    failure-agent.dev/job-rules: |
      - {name: oom, action: FailJob, onSignal: SIGKILL, onReason: OOMKilled}
"""


def test_annotations_choose_what_is_ours() -> None:
    made = load_job(job(annotations=ANNOTATIONS), file="job.yaml")

    assert made.choices == Choices(delay_ignored=False)
    assert made.rules == (OurRule(name="oom", action="FailJob", signal=9, reason="OOMKilled"),)
    assert made.policies == ("a", "b")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('failure-agent.dev/job-delay-ignore: "true"', "unknown annotation `failure-agent.dev/job-delay-ignore`"),
        ('failure-agent.dev/job-delay-each: "no"', 'expected "true" or "false", as text'),
        ("failure-agent.dev/job-rules: '- {name: a, action: Retry}'", "rules[0].action: `Retry` is not one of "),
        ("failure-agent.dev/job-rules: '- {name: a, action: FailIndex}'", "requires the backoffLimitPerIndex"),
        ("failure-agent.dev/job-rules: '- {'", "while parsing"),
    ],
)
def test_wrong_annotations_are_reported(line: str, message: str) -> None:
    (problem,) = lint(job(annotations=f"  annotations:\n    {line}\n"), file="job.yaml")

    assert message in problem.message
    assert problem.path.startswith("metadata.annotations")


STOLEN = """\
  podFailurePolicy:
    rules:
    - {action: FailJob, onExitCodes: {operator: %s, values: [%s]}}
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}
"""


@pytest.mark.parametrize(
    ("operator", "values", "told"),
    [("In", "42, 143", "also end with 143"), ("NotIn", "42", "also end with 137 and 143"), ("In", "42", None)],
)
def test_a_rule_that_takes_disrupted_pods_is_remarked(operator: str, values: str, told: str | None) -> None:
    problems = lint(job((STOLEN % (operator, values)).rstrip()), file="job.yaml")

    assert [problem.path for problem in problems] == (["spec.podFailurePolicy.rules[0]"] if told else [])
    assert all(told is not None and told in problem.message for problem in problems)


def test_rules_of_ours_that_deleted_pods_escape_are_remarked() -> None:
    (problem,) = lint(job(annotations=ANNOTATIONS), file="job.yaml")

    assert (problem.code, problem.path) == ("rules-too-late", "metadata.annotations.failure-agent.dev/job-rules")
    assert lint(job("  podReplacementPolicy: Failed", annotations=ANNOTATIONS), file="job.yaml") == ()


def test_a_job_is_read_as_the_api_server_reads_it() -> None:
    spec = "  parallelism: 010\n  completions: 1_0\n  suspend: on\n  backoffLimit: 1e1"

    written = load_job(job(spec), file="f.yaml").spec

    assert (written.parallelism, written.completions, written.suspend, written.backoff_limit) == (8, 10, True, 10)


def test_a_key_given_twice_is_refused_as_by_strict_validation() -> None:
    assert [problem.code for problem in lint(job("  parallelism: 1\n  parallelism: 2"), file="f.yaml")] == [
        "duplicate-key"
    ]
