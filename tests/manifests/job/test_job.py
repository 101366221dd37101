"""Jobs that people write: what is refused, where, and with which words."""

import pytest

from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.failure import Grade
from agent.core.job.manifest import Choices
from agent.core.job.rules import OurRule
from agent.manifests.job.load import load_job
from agent.manifests.lint import LintContext, lint

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
      - {name: hopeless, action: FailJob, minGrade: proven}
"""


def test_annotations_choose_what_is_ours() -> None:
    made = load_job(job(annotations=ANNOTATIONS), file="job.yaml")

    assert made.choices == Choices(delay_ignored=False)
    assert made.rules == (
        OurRule(name="oom", action="FailJob", signal=9, reason="OOMKilled"),
        OurRule(name="hopeless", action="FailJob", min_grade=MinGrade(least=Grade.PROVEN)),
    )
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


def ruled(*rules: str) -> str:
    """A Job with these rules of ``podFailurePolicy``."""
    return job("\n".join(["  podFailurePolicy:", "    rules:", *(f"    - {rule}" for rule in rules)]))


@pytest.mark.parametrize(
    ("pattern", "told", "hint"),
    [
        ("type: failure-agent.dev/Infrastructure", None, ""),
        ('type: failure-agent.dev/Hopeless, status: "True"', None, ""),
        ('type: failure-agent.dev/Category-oom, status: "True"', None, ""),
        (
            "type: failure-agent.dev/Hopeless, status: True",
            "wrong-type 8:85 status: expected text, found the boolean True",
            'quote it: "True"',
        ),
        ("type: example.com/Infrastructur", None, ""),
        (
            "type: failure-agent.dev/Infrastructur",
            "unknown-condition 8:49 type: `failure-agent.dev/` has no condition `Infrastructur`",
            "did you mean `Infrastructure`?",
        ),
        (
            "type: failure-agent.dev/oom",
            "unknown-condition 8:49 type: `failure-agent.dev/` has no condition `oom`",
            "known: Infrastructure, Hopeless, Category-NAME",
        ),
        (
            'type: failure-agent.dev/Hopeless, status: "False"',
            "never-true 8:85 status: failure-agent.dev/Hopeless is True or not there, so this never matches",
            'write status: "True"',
        ),
    ],
)
def test_only_conditions_that_are_set_are_taken(pattern: str, told: str | None, hint: str) -> None:
    problems = lint(ruled(f"{{action: Ignore, onPodConditions: [{{{pattern}}}]}}"), file="job.yaml")

    at = "spec.podFailurePolicy.rules[0].onPodConditions[0]."
    shown = [f"{p.code} {p.line}:{p.column} {p.path.removeprefix(at)}: {p.message}" for p in problems]
    assert shown == ([] if told is None else [told])
    assert all(hint in problem.hint for problem in problems)


def test_a_category_has_a_condition_only_if_its_rule_file_says_so() -> None:
    text = ruled("{action: Ignore, onPodConditions: [{type: failure-agent.dev/Category-oom}]}")

    assert lint(text, file="job.yaml", context=LintContext(asking=frozenset({"oom"}))) == ()
    (problem,) = lint(text, file="job.yaml", context=LintContext(asking=frozenset({"oom-kill"})))
    assert problem.message == "no rule file gives the category `oom` a condition"
    assert problem.hint == "write `condition: true` in the category; did you mean `oom-kill`?"


CODES = "{action: FailJob, onExitCodes: {operator: In, values: [42]}}"
IGNORE = "{action: Ignore, onPodConditions: [{type: failure-agent.dev/Infrastructure}]}"
FAIL = "{action: FailJob, onPodConditions: [{type: failure-agent.dev/Hopeless}]}"


@pytest.mark.parametrize(
    ("rules", "places"),
    [((CODES, IGNORE), [0]), ((IGNORE, CODES), []), ((CODES, FAIL), []), ((FAIL, CODES, CODES, IGNORE), [1, 2])],
)
def test_a_rule_on_exit_codes_before_our_condition_is_remarked(rules: tuple[str, ...], places: list[int]) -> None:
    problems = lint(ruled(*rules), file="job.yaml")

    assert [(problem.code, problem.path) for problem in problems] == [
        ("condition-hidden", f"spec.podFailurePolicy.rules[{place}]") for place in places
    ]


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
