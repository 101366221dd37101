"""The demo's clusters have rules for every failure that the simulator plays."""

from typing import Any

import pytest
import yaml

from agent.core.failure import Origin
from agent.ctl.classify.diagnosis import Diagnoser
from agent.manifests.categories.load import load_categories
from agent.manifests.lint import lint
from agent.shipped import shipped
from tests.config.subjects import ask, diagnoser

CLUSTERS = ("gpu-east", "cpu-west")
INTERNAL = ("deadline-not-enforced",)
"""Scripts whose failure the agent itself decides: nothing in the pod says it."""
HEALTHY = ("success",)


def scripts() -> dict[str, dict[str, Any]]:
    workload = yaml.safe_load(shipped("simulator/workload.yaml").read_text(encoding="utf-8"))
    files = [shipped(f"simulator/{name}") for name in workload["scripts"]]
    read = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    return {script["name"]: script for part in read for script in part["scripts"]}


SCRIPTS = scripts()


def bundle(script: dict[str, Any]) -> dict[str, Any]:
    """What stands in the API server when the script's failure is recorded, or at its end."""
    status: dict[str, Any] = {"phase": "Pending", "conditions": []}
    containers: dict[str, Any] = {}
    events: list[Any] = []
    node: dict[str, Any] = {"conditions": [], "events": []}
    for step in script["steps"]:
        status.update({key: step[key] for key in ("phase", "reason", "message") if key in step})
        status["conditions"] += step.get("conditions", [])
        events += [{"type": "Warning", **event} for event in step.get("events", [])]
        node["conditions"] += step.get("node", {}).get("conditions", [])
        node["events"] += step.get("node", {}).get("events", [])
        containers.update({name: {"terminated": state} for name, state in step.get("exited", {}).items()})
        containers.update({name: {"terminated": state} for name, state in step.get("restarted", {}).items()})
        containers.update({name: {"waiting": state} for name, state in step.get("waiting", {}).items()})
        if "restarted" in step:
            status["phase"] = "Failed"
        if step.get("record") or "restarted" in step:
            break
    names = {each["name"] for each in script.get("pod", {}).get("spec", {}).get("initContainers", [])}
    known = sorted(containers.items(), key=lambda entry: entry[0] != "main")
    status["containerStatuses"] = [{"name": name, "state": state} for name, state in known if name not in names]
    status["initContainerStatuses"] = [{"name": name, "state": state} for name, state in known if name in names]
    return {"pod": {"kind": "Pod", "metadata": {}, "status": status}, "events": events, "node": node}


@pytest.fixture(scope="module", params=CLUSTERS)
def asked(request: pytest.FixtureRequest) -> Diagnoser:
    return diagnoser(shipped(f"demo/{request.param}.yaml"))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_nothing_is_to_be_mended(cluster: str) -> None:
    file = shipped(f"demo/{cluster}.yaml")
    assert lint(file.read_text(encoding="utf-8"), file=file.name) == ()


def test_the_clusters_differ() -> None:
    names = [
        {
            one.name
            for one in load_categories(shipped(f"demo/{cluster}.yaml").read_text(encoding="utf-8"), file="").categories
        }
        for cluster in CLUSTERS
    ]

    assert {"gpu", "cuda", "infiniband"} <= names[0]
    assert not {"gpu", "cuda", "infiniband"} & names[1]


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in (*INTERNAL, *HEALTHY)])
def test_every_failure_of_the_demo_has_a_rule(name: str, asked: Diagnoser) -> None:
    failure = ask(asked, bundle(SCRIPTS[name])).failure

    assert failure is not None
    found = failure.classification
    assert found.matched
    assert found.hint
    assert found.advice is not None
    assert found.origin is not Origin.UNKNOWN or found.category == "external"


@pytest.mark.parametrize("name", HEALTHY)
def test_success_is_no_failure(name: str, asked: Diagnoser) -> None:
    assert ask(asked, bundle(SCRIPTS[name])).failure is None
