"""What is under ``deploy/``, without an API server: it fits the image, the settings and itself."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from agent import __version__
from agent.cluster.config.rules import rules_file
from agent.cluster.rbac import GRANTED, needed, used_if_granted
from agent.rule_files import read_rules
from agent.settings.cluster import ClusterSettings
from agent.settings.load import load
from agent.shipped import RULES, shipped
from tests.child import output_of, run
from tests.config.subjects import checked
from tests.deploy.manifests import DEPLOY, MODES, ROLES, documents, only
from tests.ground.tree import ROOT
from tests.simulator.api import Json

KINDS = {"deployment.yaml": "Deployment", "daemonset.yaml": "DaemonSet"}


def workload(mode: str) -> Json:
    return only(DEPLOY / mode, KINDS[mode])


def pod_spec(mode: str) -> Json:
    spec: Json = workload(mode)["spec"]["template"]["spec"]
    return spec


def settings(mode: str, tmp_path: Path) -> ClusterSettings:
    file = tmp_path / "cluster.yaml"
    file.write_text(only(DEPLOY / mode, "ConfigMap")["data"]["cluster.yaml"])
    return load(ClusterSettings, file, {"FAILURE_AGENT_NODE__NAME": "node-1"})


def granted(file: Path) -> set[tuple[str, str]]:
    return {
        (verb, resource)
        for document in documents(file)
        for rule in document.get("rules", [])
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.parametrize("mode", MODES)
def test_every_image_is_this_version(mode: str) -> None:
    spec = pod_spec(mode)
    images = {each["image"] for each in (*spec["containers"], *spec.get("initContainers", []))}

    assert images == {f"failure-agent:{__version__}"}


@pytest.mark.parametrize("mode", MODES)
def test_settings_name_what_is_mounted(mode: str, tmp_path: Path) -> None:
    given, (container,) = settings(mode, tmp_path), pod_spec(mode)["containers"]
    mounts = {each["mountPath"]: each.get("readOnly", False) for each in container["volumeMounts"]}

    assert mounts[str(rules_file(given).parent)] is True
    assert mounts[str(Path(container["args"][-1]).parent)] is True
    for written in (given.spool.path, Path(given.broker.url.removeprefix("sqlite:///"))):
        assert any(not only_read for mount, only_read in mounts.items() if written.is_relative_to(mount))


@pytest.mark.parametrize("mode", MODES)
def test_nothing_more_is_allowed_than_is_needed(mode: str) -> None:
    spec = pod_spec(mode)
    (container,) = spec["containers"]

    assert spec["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"hostNetwork", "hostPID", "hostIPC"} & spec.keys() == set()
    assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("mode", MODES)
def test_probes_ask_where_health_is_served(mode: str, tmp_path: Path) -> None:
    given, (container,) = settings(mode, tmp_path), pod_spec(mode)["containers"]
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    asked = {probe: container[f"{probe}Probe"]["httpGet"] for probe in ("liveness", "readiness")}

    assert {probe: (each["path"], ports[each["port"]]) for probe, each in asked.items()} == {
        "liveness": ("/healthz", given.health.port),
        "readiness": ("/readyz", given.health.port),
    }
    assert given.health.host == "0.0.0.0"  # noqa: S104 - the kubelet asks from outside the pod


@pytest.mark.parametrize("mode", MODES)
def test_a_pod_is_given_longer_than_stopping_takes(mode: str, tmp_path: Path) -> None:
    assert pod_spec(mode)["terminationGracePeriodSeconds"] > settings(mode, tmp_path).shutdown.total_seconds()


@pytest.mark.parametrize("mode", MODES)
def test_the_leases_are_in_its_own_namespace(mode: str, tmp_path: Path) -> None:
    lease = settings(mode, tmp_path).lease

    assert lease is not None
    assert lease.namespace == workload(mode)["metadata"]["namespace"]
    assert only(DEPLOY / "rbac" / "elect.yaml", "Role")["metadata"]["namespace"] == lease.namespace


def test_the_categories_are_those_that_ship(tmp_path: Path) -> None:
    text: Any = only(DEPLOY / "categories.yaml", "ConfigMap")["data"]["error-categories.yaml"]

    starter = ROOT / "config" / "starter" / "error-categories.yaml"
    assert text == starter.read_text(encoding="utf-8"), "run deploy/write-categories"
    (tmp_path / "rules.yaml").write_text(text, encoding="utf-8")
    assert read_rules(tmp_path / "rules.yaml").revision == checked(shipped(RULES)).value_or_raise().revision


OWN_RULES = "errorCategories:\n\n  categories: []\n"


@pytest.fixture(name="script")
def a_copy_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "deploy" / "write-categories"
    script.parent.mkdir()
    script.write_bytes((DEPLOY / "write-categories").read_bytes())
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return script


@pytest.mark.slow
def test_categories_are_written_from_a_file_of_ones_own(script: Path, tmp_path: Path) -> None:
    rules = tmp_path / "mine.yaml"
    rules.write_text(OWN_RULES, encoding="utf-8")

    output_of([str(script), str(rules)])

    assert only(script.parent / "categories.yaml", "ConfigMap")["data"] == {"error-categories.yaml": OWN_RULES}


@pytest.mark.slow
def test_packs_of_ones_own_are_written_beside_them(script: Path, tmp_path: Path) -> None:
    rules, pack = tmp_path / "mine.yaml", tmp_path / "site.yaml"
    rules.write_text("packs: [./site.yaml]\n", encoding="utf-8")
    pack.write_text(OWN_RULES, encoding="utf-8")

    output_of([str(script), str(rules), str(pack)])

    assert only(script.parent / "categories.yaml", "ConfigMap")["data"] == {
        "error-categories.yaml": "packs: [./site.yaml]\n",
        "site.yaml": OWN_RULES,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (None, 2, "mine.yaml cannot be read; "),
        ("errorCategories: [", 1, "mine.yaml:1:19: while parsing"),
        ("errorCategories: [{name: a, rules: [{onExitCodes: 5}]}]\n", 1, "mine.yaml has errors; "),
        ((ROOT / "config" / "starter" / "retry-policy.yaml").read_text(encoding="utf-8"), 1, "mine.yaml has errors; "),
    ],
    ids=["no file", "no YAML", "a broken rule", "another kind of file"],
)
def test_categories_that_cannot_be_used_change_nothing(
    script: Path, tmp_path: Path, text: str | None, code: int, said: str
) -> None:
    rules, written = tmp_path / "mine.yaml", script.parent / "categories.yaml"
    written.write_text("as it was", encoding="utf-8")
    if text is not None:
        rules.write_text(text, encoding="utf-8")

    refused = run([str(script), str(rules)])

    assert (refused.returncode, said in refused.stderr) == (code, True), refused.stderr
    assert refused.stderr.endswith(f"{written} is left as it is\n")
    assert written.read_text(encoding="utf-8") == "as it was"
    assert [file.name for file in script.parent.iterdir() if file != script] == ["categories.yaml"]


def test_what_the_agent_says_of_roles_is_what_they_grant() -> None:
    assert {(pair, f"deploy/rbac/{file.name}") for file in ROLES for pair in granted(file)} == set(GRANTED.items())


@pytest.mark.parametrize("mode", MODES)
def test_what_is_needed_from_the_start_is_granted_by_observe_and_elect(mode: str, tmp_path: Path) -> None:
    roles = granted(DEPLOY / "rbac" / "observe.yaml") | granted(DEPLOY / "rbac" / "elect.yaml")

    assert {(access.verb, access.resource) for access in needed(settings(mode, tmp_path))} <= roles


def test_every_verb_granted_is_needed_by_some_settings(tmp_path: Path) -> None:
    """But for patching pods, which is asked for where a pod's label asks for our finalizer."""
    acting = {"run": {"namespaces": ["ml"]}, "log_tails": {"namespaces": ["ml"]}}
    every = [
        ClusterSettings.model_validate({**settings(mode, tmp_path).model_dump(), **acting}, strict=False)
        for mode in MODES
    ]
    asked = {(one.verb, one.resource) for each in every for one in (*needed(each), *used_if_granted(each))}

    assert asked | {("patch", "pods")} == GRANTED.keys()
