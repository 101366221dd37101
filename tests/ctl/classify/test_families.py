"""Lists that hold Jobs next to their pods, as ``kubectl get jobs,pods -o json`` prints them."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agent.ctl.main import app
from tests.ctl.classify.test_classify import RULES, pod

LIMIT = "the Job controller fails Job train: backoffLimit 0 is exceeded"


def of_job(name: str, job: str = "train") -> dict[str, Any]:
    made = pod(name, exitCode=137, reason="OOMKilled")
    made["metadata"]["ownerReferences"] = [{"kind": "Job", "name": job, "uid": job, "controller": True}]
    return made


def job(name: str = "train", **spec: Any) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "main"}]}}
    meta = {"name": name, "namespace": "team", "uid": name}
    return {"kind": "Job", "metadata": meta, "spec": {"template": template, **spec}, "status": {"failed": 1}}


def ask(folder: Path, text: str, *options: str, stdin: bool = False) -> Result:
    rules, file = folder / "rules.yaml", folder / "input"
    rules.write_text(RULES)
    file.write_text(text)
    words = ["classify", "-f", "-" if stdin else str(file), "--rules", str(rules), *options]
    return CliRunner().invoke(app, words, input=text if stdin else None)


def as_list(*items: dict[str, Any]) -> str:
    return json.dumps({"kind": "List", "items": items})


def as_lines(*items: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(item)}\n" for item in items)


POD, JOB = of_job("train-a"), job(backoffLimit=0)


@pytest.mark.parametrize("text", [as_list(JOB, POD), as_list(POD, JOB), as_lines(JOB, POD), as_lines(POD, JOB)])
def test_the_job_of_the_same_input_says_what_follows(tmp_path: Path, text: str) -> None:
    """The Job was an object that cannot be classified, and its limits were not known."""
    asked = ask(tmp_path, text)

    assert (asked.exit_code, asked.stderr) == (0, "")
    assert LIMIT in " ".join(asked.stdout.split())


def test_a_policy_is_asked_with_the_runs_that_the_job_counted(tmp_path: Path) -> None:
    policies = tmp_path / "policies.yaml"
    policies.write_text(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\n"
        "spec: {rules: [{name: memory, action: Retry, retryLimit: 2, onConditions: [OOMKilled]}]}\n"
    )
    again = {**job(backoffLimit=6), "status": {"failed": 2}}

    asked = ask(tmp_path, as_list(POD, again), "--policies", str(policies), "-o", "json")

    assert (
        "1 run of the job failed before (Job train), each like this one"
        in json.loads(asked.stdout)["verdict"]["assumed"]
    )


def test_pods_that_come_one_at_a_time_are_answered_at_once(tmp_path: Path) -> None:
    """As from ``kubectl get pods -w -o json``: nobody knows whether a Job will come."""
    asked = ask(tmp_path, as_lines(POD, JOB), stdin=True)

    assert LIMIT not in " ".join(asked.stdout.split())
    assert asked.stderr == (
        "Pods of Job team/train came before, and were answered without it: put Jobs first, as kubectl get "
        "jobsets,jobs,pods does.\n"
    )


def test_jobs_whose_pods_are_not_there_are_named_and_nothing_is_wrong(tmp_path: Path) -> None:
    asked = ask(tmp_path, as_list(POD, JOB, *(job(f"done-{number}") for number in range(5))))

    assert asked.exit_code == 0
    assert asked.stderr == ("The input has no pod of Job team/done-0, Job team/done-1, Job team/done-2 and 2 more.\n")


def test_a_job_without_any_pod_cannot_be_classified(tmp_path: Path) -> None:
    asked = ask(tmp_path, as_list(JOB))

    assert asked.exit_code == 2
    assert "input: item 1: kind 'Job' cannot be classified without its pod; give both together, or" in asked.stderr


def test_a_job_that_is_none_is_reported_and_its_pods_are_answered(tmp_path: Path) -> None:
    asked = ask(tmp_path, as_list(POD, {"kind": "Job", "metadata": 3}))

    assert (asked.exit_code, "item 2: not a Job: " in asked.stderr) == (2, True)
    assert asked.stdout.startswith("FAILED  out of memory")
