import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.admission.review import Answer, BadReview, added, read_review, response
from agent.core.admission.conditions import PodCondition, Withheld
from tests.cluster.admission.reviews import FAILED, RUNNING, UID, Json, applied, body, pod

NOW = datetime(2026, 5, 4, 3, 2, 1, 999, tzinfo=UTC)
LOST = PodCondition(type="failure-agent.dev/Infrastructure", reason="gpu", message="status.message: GPU is lost")
NAMED = PodCondition(type="failure-agent.dev/Category-gpu", reason="gpu")

types = st.sampled_from([LOST.type, NAMED.type, "DisruptionTarget", "Ready"])
conditions = st.lists(
    st.fixed_dictionaries({"type": types, "status": st.sampled_from(["True", "False", "Unknown"])}), max_size=5
)
statuses = st.fixed_dictionaries({"phase": st.just("Failed")}, optional={"conditions": conditions | st.none()})
answers = st.lists(st.sampled_from([LOST, NAMED]), unique=True).map(tuple) | st.sampled_from(Withheld)


def answered(raw: bytes, answer: Answer, now: datetime = NOW) -> bytes:
    review = read_review(raw)
    return response(review, added(review, answer), now)


def test_a_request_is_the_pod_before_and_after() -> None:
    review = read_review(body())

    assert (review.uid, review.namespace, review.dry_run, review.is_failure) == (UID, "ml", False, True)
    assert (review.old.status.phase, review.new.status.phase) == ("Running", "Failed")


@pytest.mark.parametrize(
    "more",
    [
        {"operation": "CREATE", "oldObject": None},
        {"operation": "DELETE", "object": None},
        {"subResource": ""},
        {"subResource": "ephemeralcontainers"},
        {"resource": {"group": "example.dev", "resource": "pods"}},
        {"resource": {"group": "", "resource": "nodes"}},
        {"oldObject": pod(FAILED)},
        {"object": pod(RUNNING)},
        {"object": pod({"phase": "Succeeded"})},
    ],
)
def test_only_an_update_of_status_into_failed_is_a_failure(more: Json) -> None:
    assert not read_review(body(**more)).is_failure


def test_a_dry_run_is_known() -> None:
    assert read_review(body(dryRun=True)).dry_run


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}',
        b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":null}',
        body().replace(b"admission.k8s.io/v1", b"admission.k8s.io/v1beta1"),
        body().replace(b'"AdmissionReview"', b'"TokenReview"'),
        body(uid=""),
        body(uid="u" * 129),
        body(uid=7),
        body(object={"status": {"phase": 7}}),
        body(object="pod"),
        body(oldObject=[]),
        body(object={"spec": {"activeDeadlineSeconds": 1}}).replace(b": 1}", b": " + b"1" * 5_000 + b"}"),
        body(object={"x": 0}).replace(b'"x": 0', b'"x": ' + b"[" * 50_000),
        body(object={"x": 0}).replace(b'"x": 0', b'"x": ' + b"[" * 50_000 + b"]" * 50_000),
        body(object=pod({"phase": "Failed", "message": "m"})).replace(b'"m"', b'"\\ud800"'),
    ],
)
def test_anything_else_is_a_bad_review(raw: bytes) -> None:
    with pytest.raises(BadReview):
        read_review(raw)


@pytest.mark.parametrize("present", [None, [], [{"type": "Ready", "status": "False"}]])
def test_a_condition_is_added_after_those_that_are_there(present: list[Json] | None) -> None:
    written = pod({"phase": "Failed", "conditions": present})

    stored = applied(written, answered(body(object=written), (LOST,)))

    assert stored["status"]["conditions"] == [
        *(present or []),
        {
            "type": "failure-agent.dev/Infrastructure",
            "status": "True",
            "reason": "gpu",
            "message": "status.message: GPU is lost",
            "lastTransitionTime": "2026-05-04T03:02:01Z",
        },
    ]


def test_times_are_written_in_utc() -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=5)))

    assert answered(body(), (LOST,), elsewhere) == answered(body(), (LOST,))


@given(status=statuses, answer=answers)
def test_every_pod_is_allowed_and_nothing_that_it_has_is_changed(status: Json, answer: Answer) -> None:
    written = pod(status)
    said = answered(body(object=written), answer)

    stored = applied(written, said)

    had = status.get("conditions") or []
    assert json.loads(said)["response"].items() >= {"uid": UID, "allowed": True}.items()
    assert (stored["status"].get("conditions") or [])[: len(had)] == had
    assert {**stored, "status": None} == {**written, "status": None}
    assert {**stored["status"], "conditions": None} == {**status, "conditions": None}


@given(status=statuses, answer=answers)
def test_a_pod_has_each_condition_of_the_answer_once(status: Json, answer: Answer) -> None:
    written = pod(status)
    had = {condition["type"] for condition in status.get("conditions") or []}

    stored = applied(written, answered(body(object=written), answer))

    new = (stored["status"].get("conditions") or [])[len(status.get("conditions") or []) :]
    wanted = set() if isinstance(answer, Withheld) else {condition.type for condition in answer}
    assert sorted(condition["type"] for condition in new) == sorted(wanted - had)


@pytest.mark.parametrize("answer", list(Withheld))
def test_an_answer_without_conditions_has_no_patch(answer: Withheld) -> None:
    assert json.loads(answered(body(), answer))["response"] == {"uid": UID, "allowed": True}
