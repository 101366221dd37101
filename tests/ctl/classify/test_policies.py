"""``failctl classify --policies``: whether a failed pod will be retried."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from agent.console.exits import Exit
from agent.ctl.main import app
from tests.ctl.classify.test_pods import asked_pods, failed
from tests.kube.cluster import cluster

POLICY = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: training}
spec:
  backoff: {initialDelay: 30s}
  antiAffinity: {mode: node}
  rules:
  - {name: memory, action: Retry, retryLimit: 2, onConditions: [OOMKilled], mutate: MORE}
""".replace("MORE", "{resources: {memory: {factor: 2, max: 1Gi}}}")
RULES = str(Path(__file__).with_name("rules.yaml"))


def pod(name: str, **terminated: Any) -> dict[str, Any]:
    status = {"name": "main", "state": {"terminated": {"exitCode": 1, "reason": "Error"} | terminated}}
    limits = {"limits": {"memory": "64Mi"}, "requests": {"memory": "64Mi"}}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "uid": f"uid-of-{name}"},
        "spec": {"nodeName": "node-1", "containers": [{"name": "main", "resources": limits}]},
        "status": {"phase": "Failed", "containerStatuses": [status]},
    }


OOM = pod("oom", exitCode=137, reason="OOMKilled")
CRASHED = pod("crashed")
HEALTHY = {"kind": "Pod", "metadata": {"name": "fine"}, "status": {"phase": "Running"}}


@pytest.fixture(name="folder")
def a_folder(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def classified(folder: Path, *pods: object, more: tuple[str, ...] = ()) -> tuple[int, str, str]:
    (folder / "pods.jsonl").write_text("\n".join(map(json.dumps, pods)))
    arguments = ["classify", "-f", str(folder / "pods.jsonl"), "--policies", str(folder / "policy.yaml")]
    result = CliRunner().invoke(app, [*arguments, "--rules", RULES, *more])
    return result.exit_code, result.stdout, result.stderr


def test_the_card_has_the_verdict_its_arithmetic_and_its_assumptions(folder: Path) -> None:
    code, out, err = classified(folder, OOM)

    assert (code, err) == (Exit.FINE, "")
    assert (
        "Verdict     Retry in 30s, not on node-1, with more memory: policy training, rule 1 memory says Retry\n"
        "            memory: container main: 64Mi -> 128Mi (factor 2, at most 1Gi)\n"
        "            delay: 30s (at most 10m)\n"
        "            retries: 1 of 2 used (policy training, rule 1 memory): 1 left; 1 of 20 used (globalMaxRetries): "
        "19 left\n"
    ) in out
    assert "Assumed     no run of the job failed before; --failed-before NUMBER says otherwise\n" in out


def test_the_card_says_which_limit_forbids_a_retry(folder: Path) -> None:
    _, out, _ = classified(folder, OOM, more=("--failed-before", "2"))

    said = "Fail: policy training, rule 1 memory says Retry, but retryLimit of the rule is used up (2 of 2)"
    assert f"Verdict     {said}\n" in out


def test_a_table_has_verdicts_in_place_of_advice_and_counts_them(folder: Path) -> None:
    _, out, _ = classified(folder, OOM, CRASHED, HEALTHY)
    heading, *rows = out.splitlines()

    assert "VERDICT" in heading.split()
    assert "RETRY" not in heading.split()
    assert "retry in 30s" in rows[0]
    assert "fail" in rows[1].split()
    assert "Verdicts: 1 fail, 1 retry" in rows


def test_a_wide_table_never_cuts_a_verdict(folder: Path) -> None:
    _, out, _ = classified(folder, OOM, CRASHED, more=("-o", "wide"))

    assert "retry in 30s" in out


@pytest.mark.parametrize("form", ["json", "jsonl", "yaml"])
def test_documents_have_the_whole_verdict(folder: Path, form: str) -> None:
    _, out, _ = classified(folder, OOM, CRASHED, HEALTHY, more=("-o", form))
    retried, given_up, healthy = (
        json.loads(out) if form == "json" else yaml.safe_load_all(out.replace("\n{", "\n---\n{"))
    )

    assert retried["verdict"]["action"] == "retry"
    assert retried["verdict"]["memory"] == [
        {"container": "main", "before": _both(64 << 20), "after": _both(128 << 20)},
    ]
    assert (retried["verdict"]["delaySeconds"], retried["verdict"]["avoidNodes"]) == (30.0, ["node-1"])
    assert retried["verdict"]["assumed"]
    assert (given_up["verdict"]["action"], given_up["verdict"]["reason"]) == ("fail", "default-action")
    assert healthy["verdict"] is None


def _both(count: int) -> dict[str, int]:
    return {"request": count, "limit": count}


def test_without_policies_no_document_has_a_verdict(folder: Path) -> None:
    (folder / "pod.json").write_text(json.dumps(OOM))
    out = CliRunner().invoke(app, ["classify", "-f", str(folder / "pod.json"), "--rules", RULES, "-o", "json"]).stdout

    assert "verdict" not in json.loads(out)


def test_policies_that_cannot_be_used_are_reported_with_line_column_and_fix(folder: Path) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("retryLimit", "retryLimt"))
    code, out, err = classified(folder, OOM)

    assert (code, out) == (Exit.USAGE, "")
    assert "policy.yaml:8:35: spec.rules[0].retryLimt: unknown field" in err
    assert "did you mean `retryLimit`?" in err


def test_an_object_that_is_no_policy_is_one_error(folder: Path) -> None:
    (folder / "policy.yaml").write_text(json.dumps({"apiVersion": "v1"} | OOM))
    code, _, err = classified(folder, OOM)

    assert code == Exit.USAGE
    assert "policy.yaml: these are pods, not retry policies; give them with -f of `failctl classify`\n" in err
    assert len(err.splitlines()) == 1


def test_a_category_that_no_rule_has_is_noted_with_the_nearest(folder: Path) -> None:
    """The rule of the policy never decides, and nothing said so."""
    text = (folder / "policy.yaml").read_text()
    (folder / "policy.yaml").write_text(f"{text}  - {{action: Retry, onCategory: memry}}\n")

    code, _, err = classified(folder, OOM)

    assert (code, err) == (Exit.FINE, "Policy training: no rule has a category memry; did you mean `memory`?\n")


def test_a_policy_of_the_queue_must_be_in_a_file(folder: Path) -> None:
    code, _, err = classified(folder, OOM, more=("--queue-policies", "trainin"))

    assert code == Exit.USAGE
    assert "--queue-policies: no file has a policy trainin; they have: training" in err


@pytest.mark.parametrize("option", [("--failed-before", "1"), ("--queue-policies", "training")])
def test_options_about_verdicts_need_policies(folder: Path, option: tuple[str, str]) -> None:
    result = CliRunner().invoke(app, ["classify", "-f", str(folder / "policy.yaml"), *option])

    assert result.exit_code == Exit.USAGE
    assert "add --policies FILE" in result.stderr


async def test_a_pod_of_a_cluster_has_a_verdict(folder: Path) -> None:
    async with cluster() as it:
        await failed(it)
        out = await asked_pods(it, "a", policies=[folder / "policy.yaml"])

    assert "Verdict     Retry in 30s, not on n1" in out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (OOM, "this is a Pod, and no scenario"),
        ({"kind": "List", "items": [OOM]}, "this is a List, and no scenario"),
        ({"pod": OOM, "events": []}, "this is a pod, and no scenario"),
    ],
)
def test_decide_points_at_classify_for_a_pod(folder: Path, given: object, said: str) -> None:
    (folder / "pod.json").write_text(json.dumps(given))
    result = CliRunner().invoke(
        app, ["decide", "-f", str(folder / "pod.json"), "--policies", str(folder / "policy.yaml")]
    )

    assert result.exit_code == Exit.USAGE
    assert said in result.stderr
    assert "failctl classify -f FILE --policies POLICIES" in result.stderr
    assert "unknown field" not in result.stderr


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("0", "nothing starts bare pods; start it again yourself, e.g. kubectl replace --force -f POD.yaml"),
        ("2", "nothing starts bare pods"),
    ],
)
def test_the_card_says_who_starts_a_bare_pod_and_how_if_it_is_to_run_again(
    folder: Path, before: str, said: str
) -> None:
    _, out, _ = classified(folder, OOM, more=("--failed-before", before))

    assert f"Next        {said}\n" in out


def test_a_document_says_who_starts_the_pod_again(folder: Path) -> None:
    made = OOM | {
        "metadata": {"name": "a", "ownerReferences": [{"kind": "StatefulSet", "name": "s", "controller": True}]}
    }
    _, out, _ = classified(folder, made, more=("-o", "json"))

    assert json.loads(out)["follows"] == "the controller of StatefulSet s makes another pod"
