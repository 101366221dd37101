"""The demo's clusters have rules for every failure that the simulator plays."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.core.failure import Failure, Origin
from agent.core.failure_text.category import leaf
from agent.demo.layout import CLUSTERS, scripts_of
from agent.diagnose.diagnosis import Diagnoser
from agent.manifests.categories.packs import load_categories
from agent.manifests.lint import lint
from agent.shipped import shipped
from tests.config.subjects import NOW, ask, diagnoser
from tests.tables import table

INTERNAL = ("deadline-not-enforced",)
"""Scripts whose failure the agent itself decides: no rule of a file says it, so there is no advice."""
HEALTHY = ("success",)
STARTED = (NOW - timedelta(hours=1)).isoformat()


def scripts(files: Sequence[Path]) -> dict[str, dict[str, Any]]:
    read = [table(file) for file in files]
    return {script["name"]: script for part in read for script in part["scripts"]}


PLAYED = {cluster: scripts(scripts_of(cluster)) for cluster in CLUSTERS}
EXPECTED = table(Path(__file__).with_name("demo_failures.yaml"))


def bundle(script: dict[str, Any]) -> dict[str, Any]:
    """What stands in the API server when the script's failure is recorded, or at its end."""
    status: dict[str, Any] = {"phase": "Pending", "conditions": [], "startTime": STARTED}
    containers: dict[str, Any] = {}
    events: list[Any] = []
    node: dict[str, Any] = {"conditions": [], "events": []}
    for step in script["steps"]:
        if "running" in step:
            status["phase"] = "Running"
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
    pod = {"kind": "Pod", "metadata": {}, "spec": script.get("pod", {}).get("spec", {}), "status": status}
    return {"pod": pod, "events": events, "node": node}


@pytest.fixture(scope="module")
def diagnosers() -> dict[str, Diagnoser]:
    return {cluster: diagnoser(shipped(f"demo/{cluster}.yaml")) for cluster in CLUSTERS}


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


def test_what_both_clusters_play_has_one_name_in_both() -> None:
    both = EXPECTED["gpu-east"].keys() & EXPECTED["cpu-west"].keys()

    assert len(both) > 10
    assert {name: EXPECTED["gpu-east"][name] for name in both} == {name: EXPECTED["cpu-west"][name] for name in both}


def test_only_the_cluster_with_gpus_plays_failures_of_gpus() -> None:
    assert PLAYED["gpu-east"].keys() - PLAYED["cpu-west"].keys() == {"gpu-off-the-bus", "admission-refused"}
    assert PLAYED["cpu-west"].keys() <= PLAYED["gpu-east"].keys()


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_table_has_every_failure_that_is_played(cluster: str) -> None:
    assert EXPECTED[cluster].keys() == PLAYED[cluster].keys() - {*HEALTHY}


@pytest.mark.parametrize(
    ("cluster", "name", "expected"),
    [(cluster, name, expected) for cluster, rows in EXPECTED.items() for name, expected in rows.items()],
)
def test_every_failure_of_the_demo_is_attributed_rightly(
    cluster: str, name: str, expected: dict[str, str], diagnosers: dict[str, Diagnoser]
) -> None:
    failure = ask(diagnosers[cluster], bundle(PLAYED[cluster][name])).failure

    assert failure is not None
    assert {"category": in_one_name(failure), "origin": failure.classification.origin.value} == expected
    found = failure.classification
    assert found.matched
    assert found.hint
    assert (found.advice is None) == (name in INTERNAL)
    assert found.origin is not Origin.UNKNOWN or found.category == "external"


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("name", HEALTHY)
def test_success_is_no_failure(cluster: str, name: str, diagnosers: dict[str, Diagnoser]) -> None:
    assert ask(diagnosers[cluster], bundle(PLAYED[cluster][name])).failure is None


def in_one_name(failure: Failure) -> str:
    return leaf(failure.classification.category, failure.classification.subcategory)
