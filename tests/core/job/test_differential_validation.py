"""What we refuse of a Job beside what the real API server refuses: each error's sort, field and words."""

import secrets
from collections.abc import Callable, Sequence
from http import HTTPStatus

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from agent.core.job.defaults import defaulted
from agent.core.job.field_error import FieldError, Struct
from agent.core.job.gates import ALL_ON, Gates, gates_of
from agent.core.job.reading import read_spec, read_status
from agent.core.job.validation import validate_spec
from agent.core.job.validation_status import validate_status
from agent.core.job.validation_update import validate_update
from tests.core.job.drawn import Drawn, jobs
from tests.core.job.invalid import LEFT_OUT, SELECTORS, STATUSES, invalid_fields, invalid_placements, invalid_specs
from tests.servers.client import Answer
from tests.servers.control_plane import ControlPlane, Options
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
LOOK = settings(max_examples=120, deadline=None, suppress_health_check=SHARED, phases=(Phase.reuse, Phase.generate))
DRY = {"dryRun": "All"}

Said = list[tuple[str, str, str]]


def refused(answer: Answer) -> Said:
    """Every error the API server tells."""
    if answer.status < HTTPStatus.BAD_REQUEST:
        return []
    assert answer.status == HTTPStatus.UNPROCESSABLE_ENTITY, answer.body
    causes = answer.json()["details"]["causes"]
    return [(cause["reason"].removeprefix("FieldValue"), cause["field"], cause["message"]) for cause in causes]


def reported(errors: Sequence[FieldError], beside: Said) -> Said:
    """Our errors.

    A value with fields of its own is not shown, and lists are shown as Kubernetes' own tests show them (docs/jobs.md):
    for these the server's text is taken, if it ends alike.
    """
    return [(error.sort.value, error.field, _body(error, beside)) for error in errors]


def _body(error: FieldError, beside: Said) -> str:
    if not isinstance(error.value, Struct | tuple | None):
        return error.body
    known = (text for sort, field, text in beside if (sort, field) == (error.sort.value, error.field))
    return next((text for text in known if text.endswith(f": {error.detail}")), error.body)


def job(spec: Json) -> Json:
    return {"metadata": {"name": f"j-{secrets.token_hex(4)}"}, "spec": spec}


def made(control_plane: ControlPlane, namespace: str, spec: Json) -> tuple[str, Json]:
    jobs_of = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    stored = control_plane.client().create(jobs_of, job({**spec, "managedBy": "example.com/nobody"}))
    return f"{jobs_of}/{stored['metadata']['name']}", stored


@LOOK
@given(spec=invalid_specs())
def test_differential_job_validation_on_create(spec: Json, control_plane: ControlPlane, namespace: str) -> None:
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    wanted = refused(control_plane.client().ask("POST", path, body=job(spec), query=DRY))

    assert reported(validate_spec(defaulted(read_spec(spec))), wanted) == wanted


@LOOK
@given(drawn=jobs(), fields=invalid_fields(most=3), label=SELECTORS, manual=st.booleans())
def test_differential_job_validation_on_update(
    *, drawn: Drawn, fields: Json, label: str | None, manual: bool, control_plane: ControlPlane, namespace: str
) -> None:
    path, stored = made(control_plane, namespace, drawn.spec)
    changed = {**stored, "spec": {**stored["spec"], **fields, "manualSelector": manual}}
    if label is not None:
        changed["spec"]["selector"] = selecting(stored, label)
    answer = control_plane.client().ask("PUT", path, body=changed, query=DRY)
    wanted = refused(answer)
    ours = reported(validate_update(defaulted(read_spec(changed["spec"])), read_spec(stored["spec"])), wanted)

    assert set(ours) == set(wanted)


def selecting(stored: Json, label: str) -> Json | None:
    labels = stored["spec"]["template"]["metadata"]["labels"]
    return None if label == LEFT_OUT else {"matchLabels": {label: labels[label]}}


def hold_status(server: ControlPlane, path: str, stored: Json, statuses: tuple[Json, Json], gates: Gates) -> None:
    """Write one status after the other; the second is only tried."""
    client, spec = server.client(), read_spec(stored["spec"])
    old, new = statuses
    assume(not validate_status(read_status(old), read_status({}), spec, gates=gates))
    begun = client.ask("PUT", f"{path}/status", body={**stored, "status": old})
    assert refused(begun) == []
    wanted = refused(client.ask("PUT", f"{path}/status", body={**begun.json(), "status": new}, query=DRY))

    assert reported(validate_status(read_status(new), read_status(old), spec, gates=gates), wanted) == wanted


def alike(old: Json, new: Json, same: set[str]) -> Json:
    """The new status with some fields of the old one: much is asked of what changes only."""
    return {**new, **{name: old[name] for name in same if name in old}}


SAME = st.sets(st.sampled_from(("conditions", "active", "startTime", "completionTime", "failedIndexes")))


@LOOK
@given(drawn=jobs(), suspend=st.booleans(), begun=st.booleans(), fields=invalid_placements())
def test_differential_job_validation_of_where_pods_run(
    *, drawn: Drawn, suspend: bool, begun: bool, fields: Json, control_plane: ControlPlane, namespace: str
) -> None:
    path, stored = made(control_plane, namespace, {**drawn.spec, "suspend": suspend})
    client = control_plane.client()
    if begun:
        status = {"status": {"startTime": "2026-01-01T00:00:00Z"}}
        stored = client.patch(f"{path}/status", status)
    template = stored["spec"]["template"]
    changed = {
        "metadata": {**template["metadata"], **fields["metadata"]},
        "spec": {**template["spec"], **fields["spec"]},
    }
    body = {**stored, "spec": {**stored["spec"], "template": changed}}
    wanted = refused(client.ask("PUT", path, body=body, query=DRY))
    after, before = read_spec(body["spec"]), read_spec(stored["spec"])
    ours = reported(validate_update(after, before, status=read_status(stored.get("status", {}))), wanted)

    assert set(ours) == set(wanted)


@LOOK
@given(drawn=jobs(), old=STATUSES, new=STATUSES, same=SAME)
def test_differential_job_validation_of_status(
    drawn: Drawn, old: Json, new: Json, same: set[str], control_plane: ControlPlane, namespace: str
) -> None:
    path, stored = made(control_plane, namespace, drawn.spec)
    hold_status(control_plane, path, stored, (old, alike(old, new, same)), ALL_ON)


@pytest.fixture
def gated(start_control_plane: Callable[[Options], ControlPlane], request: pytest.FixtureRequest) -> ControlPlane:
    """A control plane of the test's own, without controllers, whose API server has gates off."""
    named = ",".join(f"{name}=false" for name in request.getfixturevalue("off"))
    flags = ("--emulated-version=kube=1.32", f"--feature-gates={named}")
    return start_control_plane(Options(api_server=flags))


@pytest.mark.long
@pytest.mark.timeout(600)  # a control plane of its own for each of hundreds of draws
@pytest.mark.parametrize("off", [("JobManagedBy",), ("JobManagedBy", "JobPodReplacementPolicy")], ids="-".join)
@LOOK
@given(drawn=jobs(), old=STATUSES, new=STATUSES, same=SAME)
def test_differential_job_validation_of_status_with_gates_off(
    drawn: Drawn, old: Json, new: Json, same: set[str], gated: ControlPlane, off: tuple[str, ...]
) -> None:
    path, stored = made(gated, "default", drawn.spec)
    hold_status(gated, path, stored, (old, alike(old, new, same)), gates_of(dict.fromkeys(off, False)))
