"""``failctl decide``, ``policy test``, ``lint`` of several files and ``schema``."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent.console.exits import Exit, UsageError
from agent.ctl.main import app
from agent.ctl.policy import decide, test
from agent.ctl.schema import KINDS, schema

POLICY = """apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: p}
spec:
  rules:
  - {action: Retry, name: oom, retryLimit: 1, onConditions: [OOMKilled]}
  - {action: Fail, name: crash, onExitCodes: {operator: In, values: [1]}}
"""
USED_UP = "Fail: policy p, rule 1 oom says Retry, but retryLimit of the rule is used up (1 of 1)"
OOM = "{containers: [{name: main, exitCode: 137, reason: OOMKilled}], expect: {verdict: %s}}"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    policy, scenario = tmp_path / "p.yaml", tmp_path / "s.yaml"
    policy.write_text(POLICY)
    scenario.write_text(f"name: s\npolicies: [p]\nfailures: [{OOM % 'Retry'}, {OOM % 'Retry'}]\n")
    return policy, scenario


def held(policy: Path, scenario: Path, **more: Any) -> tuple[Exit, str]:
    out = io.StringIO()
    request = test.PolicyTestRequest(scenarios=(scenario,), policies=(policy,), **more)
    return test.run(request, out=out), out.getvalue()


def test_a_difference_is_printed_with_the_verdict(files: tuple[Path, Path]) -> None:
    code, text = held(*files)

    assert code is Exit.FINDING
    assert text.splitlines() == [
        "FAILED s: failure 2",
        "  verdict: expected retry, got fail",
        "  " + USED_UP,
        "1 passed, 1 failed",
    ]


@pytest.mark.parametrize(("under", "code"), [(None, Exit.FINE), (50, Exit.FINE), (51, Exit.FINDING)])
def test_rules_that_never_decided_are_named(files: tuple[Path, Path], under: float | None, code: Exit) -> None:
    policy, scenario = files
    scenario.write_text(f"name: s\npolicies: [p]\nfailures: [{OOM % 'Retry'}]\n")

    told = (
        "1 passed, 0 failed\nrules that decided: 1 of 2 (50 %)\n"
        "  never: policy p, rule 2 crash: no failure had an exit code In [1] (1 was tried)\n"
    )
    assert held(policy, scenario, coverage=True, fail_under=under) == (code, told)


def test_json_holds_verdicts_and_coverage(files: tuple[Path, Path]) -> None:
    _, text = held(*files, output="json")
    told = json.loads(text)

    assert [verdict["action"] for verdict in told["verdicts"]] == ["retry", "fail"]
    assert [verdict["differs"] for verdict in told["verdicts"]] == [[], ["verdict: expected retry, got fail"]]
    assert told["coverage"] == {
        "percent": 50.0,
        "unused": [
            {
                "policy": "p",
                "number": 2,
                "label": "crash",
                "rule": "crash (onExitCodes In [1])",
                "why": "no failure had an exit code In [1] (2 were tried)",
            }
        ],
    }


def test_the_scenario_may_come_from_standard_input(files: tuple[Path, Path]) -> None:
    policy, scenario = files
    done = CliRunner().invoke(app, ["decide", "-f", "-", "--policies", str(policy)], input=scenario.read_text())

    assert done.exit_code == 0
    assert [line.split(":")[0] for line in done.output.splitlines()] == [
        "scenario s",
        "  1. Retry at once",
        "  2. Fail",
    ]


def test_names_of_the_command_line_override_those_of_the_scenarios(files: tuple[Path, Path]) -> None:
    out, err = io.StringIO(), io.StringIO()
    request = decide.DecideRequest(
        policies=files[:1], scenarios=files[1:], queue=(), annotation=("gone",), output="json"
    )

    assert decide.run(request, out=out, err=err) is Exit.FINE
    assert err.getvalue() == "failctl: no file has a policy gone; it is skipped, as the scheduler would skip it\n"
    first = json.loads(out.getvalue())[0]
    assert (first["reason"], first["policy"]) == ("legacy", None)
    assert "policy gone is skipped: there is no such policy" in first["explanation"]["notes"]


OTHER = POLICY.replace("name: p", "name: q")


@pytest.mark.parametrize(
    ("named", "effective"),
    [
        ("", ["p", "q"]),
        ("policies: [q]", ["q"]),
        ("policies: []", []),
        ("annotation: [q]", ["q"]),
        ("policies: [p]\nannotation: [q]", ["p", "q"]),
        ("settings: {defaultPolicyName: q}", ["q"]),
        ("settings: {defaultPolicyName: q}\npolicies: [p]", ["p"]),
        ("policies: [gone]", []),
    ],
)
def test_decide_and_policy_test_agree_on_the_policies_in_effect(
    files: tuple[Path, Path], named: str, effective: list[str]
) -> None:
    files[0].write_text(f"{POLICY}---\n{OTHER}")
    files[1].write_text(f"name: s\n{named}\nfailures: [{{containers: [{{name: main, exitCode: 1}}]}}]\n")
    out = io.StringIO()
    decide.run(decide.DecideRequest(policies=files[:1], scenarios=files[1:], output="json"), out=out, err=io.StringIO())
    told = [json.loads(out.getvalue()), json.loads(held(*files, output="json")[1])["verdicts"]]

    assert [[verdict["explanation"]["policies"] for verdict in verdicts] for verdicts in told] == [
        [effective],
        [effective],
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("policy", "scenario", "said"),
    [
        (POLICY, "name: s\n", "`failures` is required"),
        (POLICY.replace("Fail", "Fial"), "name: s\nfailures: [{times: 1}]\n", "cannot be used"),
        (f"{POLICY}---\n{POLICY}", "name: s\nfailures: [{times: 1}]\n", "is given twice"),
        (
            f"{POLICY}---\napiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: q\ndefaultAction: Fail\n",
            "name: s\nfailures: [{times: 1}]\n",
            "count retries differently",
        ),
    ],
)
def test_files_that_cannot_be_used_are_refused(files: tuple[Path, Path], policy: str, scenario: str, said: str) -> None:
    files[0].write_text(policy)
    files[1].write_text(scenario)
    with pytest.raises(UsageError, match=said):
        held(*files)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"job", "jobset"}))
def test_a_schema_of_ours_is_closed_and_every_reference_leads_somewhere(kind: str) -> None:
    told = schema(kind)
    references = _references(told)

    assert told["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert references
    assert {reference.removeprefix("#/$defs/") for reference in references} <= told["$defs"].keys()
    for definition in told["$defs"].values():
        assert definition.get("type") != "object" or definition["additionalProperties"] is False
    assert '"format": "duration"' not in json.dumps(told)


def test_the_schema_of_policies_knows_what_editors_complete() -> None:
    rule = schema("retrypolicy")["$defs"]
    shape = next(
        definition
        for name, definition in rule.items()
        if name.endswith("RuleShape") and "allOf" in definition["properties"]
    )

    assert {"onConditions", "onExitCodes", "onSignals", "charge", "mutate"} <= shape["properties"].keys()
    assert {"required": ["onSignals"]} in shape["oneOf"]
    assert "SIGKILL" in json.dumps(shape["properties"]["onSignals"])


def test_an_unknown_kind_is_refused() -> None:
    done = CliRunner().invoke(app, ["schema", "secret"])

    assert (done.exit_code, "'secret' is not one of 'categories', 'retrypolicy'" in done.output) == (2, True)


def _references(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(_references(member) for member in value.values()))
    return set().union(*(_references(member) for member in value)) if isinstance(value, list) else set()
