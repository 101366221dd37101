import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.evidence import LogTail
from agent.diagnose.subject import NotASubject, Subject, read_subject

POD = {"kind": "Pod", "metadata": {"name": "a", "namespace": "n"}, "status": {"phase": "Failed"}}


def test_a_pod_is_named_by_namespace_and_name() -> None:
    assert read_subject(POD).name == "n/a"


def test_a_bundle_brings_events_and_node() -> None:
    node = {"name": "gpu-1", "kernelLog": ["one"], "kubeletLog": ["two"], "events": [{"message": "three"}]}
    subject = read_subject({"pod": POD, "events": [{"reason": "Evicted"}], "node": node})

    assert [event.reason for event in subject.events] == ["Evicted"]
    assert subject.node_log == ("one", "two", "three")
    assert subject.node is not None
    assert subject.node.metadata.name == "gpu-1"


def test_a_bundle_brings_logs_and_owners() -> None:
    owned = POD | {"metadata": {"name": "a", "ownerReferences": [{"kind": "Job", "uid": "j", "controller": True}]}}
    containers = {"containers": [{"name": "main"}]}
    job = {"kind": "Job", "metadata": {"uid": "j"}, "spec": {"template": {"spec": containers}}}

    by_name = read_subject({"pod": owned, "logs": {"main": "one\n"}, "owners": [job]})
    listed = read_subject({"pod": owned, "logs": [{"container": "main", "text": "two", "previous": True}]})

    assert by_name.log_tails == (LogTail(container="main", text="one\n"),)
    assert listed.log_tails == (LogTail(container="main", text="two", previous=True),)
    assert (by_name.template, listed.template) == (("main",), None)


@pytest.mark.parametrize(
    "value", [{"message": "out of memory"}, {"event": {"reason": "Evicted"}}, {"node": {"kernelLog": "Xid 79"}}]
)
def test_bare_evidence_needs_no_pod(value: dict[str, object]) -> None:
    assert read_subject(value).pod is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([1], "a list is not a Pod"),
        ({"kind": "Deployment"}, "kind 'Deployment' cannot be classified"),
        ({"kind": "Job"}, "kind 'Job' cannot be classified without its pod; give both together, or it as one"),
        ({"kind": ["Job"]}, "kind ['Job'] cannot be classified; expected"),
        ({"foo": 1}, "expected kind: Pod, or one of the keys pod, events, event, node, message, logs"),
        ({"pod": None, "events": []}, "the bundle holds no evidence"),
        ({"logs": {"main": 7}}, "logs.main: expected text, found a number"),
        ({"logs": "x"}, "logs: expected a list, found a text"),
        ({"pod": POD, "owners": [{"kind": "Pod"}]}, "owners[0]: expected kind: Job or kind: JobSet, found 'Pod'"),
        ({"message": 7}, "message: expected text, found a number"),
        ({"node": {"kernellog": []}}, "node: unknown key 'kernellog'; known: "),
        ({"kind": "Pod", "status": {"phase": 7}}, "not a Pod: Expected `str | null`, got `int` - at `status.phase`"),
    ],
)
def test_an_object_that_is_no_subject_is_refused_with_the_reason(value: object, said: str) -> None:
    with pytest.raises(NotASubject) as raised:
        read_subject(value)

    assert said in str(raised.value)


def test_an_invalid_time_is_left_out_and_reported_as_missing() -> None:
    ended = {"exitCode": 2, "finishedAt": "Wed, 28 May 2025 14:26:36 +0200"}
    statuses = [{"name": "main", "state": {"terminated": ended}}]
    subject = read_subject({"kind": "Pod", "status": {"phase": "Failed", "containerStatuses": statuses}})

    assert [missing.what for missing in subject.missing] == ["times"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["pod", "events", "node", "status", "kind", "message", "items"]), inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_a_subject_or_refused_with_the_reason(value: object) -> None:
    try:
        assert isinstance(read_subject(value), Subject)
    except NotASubject as error:
        assert str(error)  # noqa: PT017  # either outcome is right, silence is not
