"""JobSets that people write: what is refused or found, where, and what the rest is read as."""

import textwrap
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.core.job.manifest import Choices as JobChoices
from agent.core.jobset.choices import Choices, RestartBudget
from agent.core.jobset.gates import ALL_ON
from agent.core.retry.policy import BackoffPolicy
from agent.documents.problem import ManifestError
from agent.manifests.jobset.load import load_jobset
from agent.manifests.lint import LintContext, lint
from tests.tables import table

FAULTS: list[dict[str, Any]] = table(Path(__file__).with_name("faults.yaml"))

JOB = """\
template:
  spec:
    parallelism: 1
    completions: 1
    template: {spec: {restartPolicy: Never, containers: [{name: main, image: example}]}}
"""


def written(*, spec: str = "", job: str = JOB, annotations: str = "") -> str:
    listed = f"  - name: a\n{textwrap.indent(job, '    ')}" if job else ""
    return "\n".join(
        (
            "apiVersion: jobset.x-k8s.io/v1alpha2",
            "kind: JobSet",
            "metadata:",
            "  name: js",
            f"  annotations:\n{textwrap.indent(annotations, '    ')}" if annotations else "",
            "spec:",
            textwrap.indent(spec, "  "),
            f"  replicatedJobs:\n{listed}" if job else "  replicatedJobs: []",
        )
    )


@pytest.mark.parametrize("row", FAULTS, ids=[row["name"] for row in FAULTS])
def test_each_problem_has_its_place(row: dict[str, Any]) -> None:
    parts = {key: row[key] for key in ("spec", "job", "annotations") if key in row}
    problems = lint(written(**parts), file="js.yaml")

    assert sorted(problem.code for problem in problems) == sorted(problem["code"] for problem in row["problems"])
    for wanted in row["problems"]:
        assert any(
            wanted["message"] in problem.message
            and problem.code == wanted["code"]
            and problem.path == wanted.get("path", problem.path)
            and wanted.get("hint", "") in problem.hint
            for problem in problems
        ), [(problem.path, problem.message, problem.hint) for problem in problems]


ANNOTATIONS = """\
failure-agent.dev/jobset-budgets: |
  - {limit: 20, action: RestartJobSetAndIgnoreMaxRestarts}
  - {limit: 5, replicatedJob: a}
  - {limit: 3, action: RecreateJob, replicatedJob: a}
failure-agent.dev/jobset-restart-delay: "{initialDelay: 10s, multiplier: 2, maxDelay: 5m}"
failure-agent.dev/jobset-lineage: fresh
"""


def test_annotations_choose_what_is_ours() -> None:
    made = load_jobset(written(annotations=ANNOTATIONS), file="js.yaml")

    assert made.choices == Choices(
        budgets=(
            RestartBudget(limit=20, action="RestartJobSetAndIgnoreMaxRestarts"),
            RestartBudget(limit=5, replicated_job="a"),
            RestartBudget(limit=3, action="RestartJob", replicated_job="a"),
        ),
        delay=BackoffPolicy(initial=timedelta(seconds=10), multiplier=2.0, maximum=timedelta(minutes=5)),
        fresh=True,
    )


def test_a_steady_delay_is_one_duration() -> None:
    made = load_jobset(written(annotations="failure-agent.dev/jobset-restart-delay: 1m30s"), file="js.yaml")

    assert made.choices == Choices(delay=BackoffPolicy(initial=timedelta(seconds=90)))


def test_defaults_and_the_choices_of_its_jobs() -> None:
    job = JOB.replace("spec:", 'metadata: {annotations: {failure-agent.dev/job-delay-each: "false"}}\n  spec:', 1)
    made = load_jobset(written(job=job, spec="failurePolicy: {rules: [{action: FailJobSet}]}"), file="js.yaml")

    policy, (replicated,) = made.spec.failure_policy, made.spec.replicated_jobs
    assert policy is not None
    assert (policy.max_restarts, policy.strategy, policy.rules[0].name) == (0, "Recreate", "failurePolicyRule0")
    assert (replicated.replicas, replicated.spec.completion_mode, made.spec.startup_order) == (1, "Indexed", "AnyOrder")
    assert made.jobs["a"].choices == JobChoices(delay_each=False)
    assert made.jobs["a"].spec.backoff_limit == 6


def test_a_jobset_is_one_of_the_documents_that_lint_takes() -> None:
    text = written(spec="failurePolicy: {maxRestarts: 1, rules: [{action: RecreateJob}]}")

    assert [problem.code for problem in lint(text, file="f")] == ["gate-off"]
    assert [problem.code for problem in lint(text, file="f", context=LintContext(gates=ALL_ON))] == ["deprecated"]
    with pytest.raises(ManifestError, match="gate-off"):
        load_jobset(text, file="f")
