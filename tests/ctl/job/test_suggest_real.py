"""Every suggested document is one that the real API server takes."""

import io
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings

from agent.core.suggestion.together import Relation
from agent.ctl.job.suggest import SuggestRequest, run
from tests.core.suggestion.drawn import documents
from tests.ctl.job.test_suggest import STORIES
from tests.servers.control_plane import ControlPlane
from tests.tables import table

pytestmark = pytest.mark.slow

SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
LOOK = settings(max_examples=60, deadline=None, suppress_health_check=SHARED, phases=(Phase.reuse, Phase.generate))
EXAMPLES = table(STORIES.parent / "core/suggestion/suggestion.yaml")
JOBS = [
    *(case["document"] for case in EXAMPLES if case["document"]["kind"] == "Job"),
    *(table(path) for path in sorted(STORIES.glob("job/stories/*.yaml")) if "original" not in path.name),
]


def refused(document: dict[str, Any], control_plane: ControlPlane, namespace: str) -> list[str]:
    """What the API server says against creating a Job."""
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    answer = control_plane.client().ask("POST", path, body=document, query={"dryRun": "All"})
    return [] if answer.status == HTTPStatus.CREATED else [str(answer.json()["message"])]


def suggested(document: dict[str, Any], folder: Path, said: Relation | None) -> dict[str, Any]:
    file, out = folder / "job.yaml", io.StringIO()
    file.write_text(yaml.safe_dump(document))
    run(SuggestRequest(file=file, said=said), out=out, err=io.StringIO())
    result = yaml.safe_load(out.getvalue())
    assert isinstance(result, dict)
    return result


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """A Job as it would be created: the examples leave out what is the same in all."""
    spec = document["spec"]["template"]["spec"]
    containers = [{"image": "example", **container} for container in spec["containers"]]
    template = {**document["spec"]["template"], "spec": {**spec, "containers": containers}}
    metadata = {"name": "train", **document.get("metadata", {})}
    return {
        "apiVersion": "batch/v1",
        **document,
        "metadata": metadata,
        "spec": {**document["spec"], "template": template},
    }


@pytest.mark.parametrize("said", [None, *Relation])
def test_the_api_server_takes_every_example(
    said: Relation | None, tmp_path: Path, control_plane: ControlPlane, namespace: str
) -> None:
    for document in map(complete, JOBS):
        assert refused(suggested(document, tmp_path, said), control_plane, namespace) == []


@LOOK
@given(document=documents())
def test_the_api_server_takes_every_job(
    document: dict[str, Any], tmp_path: Path, control_plane: ControlPlane, namespace: str
) -> None:
    assert refused(suggested(document, tmp_path, None), control_plane, namespace) == []


def test_a_job_read_from_the_api_server_can_be_made_again(
    tmp_path: Path, control_plane: ControlPlane, namespace: str
) -> None:
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    client = control_plane.client()
    stored = client.create(path, complete({**JOBS[0], "kind": "Job", "spec": {**JOBS[0]["spec"], "suspend": True}}))
    result = suggested({"apiVersion": "batch/v1", "kind": "Job", **stored}, tmp_path, None)
    # Here its name is taken until it has been deleted.
    result["metadata"]["namespace"] = "default"

    assert refused(result, control_plane, "default") == []
