import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.kube.codec import Bookmark, Codec, ErrorEvent, ObjectEvent, Undecodable, Unreadable
from agent.kube.objects import Event, Node, Pod

PODS = Codec(Pod)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["metadata", "uid", "status", "spec", "x"]), inner),
    max_leaves=12,
)


def line(kind: str, thing: object) -> bytes:
    return json.dumps({"type": kind, "object": thing}).encode()


def test_nulls_and_absent_fields_are_no_reason_to_refuse() -> None:
    pod = PODS.read(b'{"metadata":{"uid":"u","labels":null},"status":{"containerStatuses":null,"conditions":[{}]}}')
    assert isinstance(pod, Pod)
    assert (pod.metadata.uid, pod.status.containerStatuses) == ("u", None)


def test_unknown_fields_are_skipped() -> None:
    assert isinstance(PODS.read(b'{"metadata":{"uid":"u","managedFields":[{"x":1}]},"extra":{"y":[]}}'), Pod)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'{"status":{"message":"caf\xe9"}}', "caf\ufffd"),
        (b'{"status":{"message":"\\ud800x"}}', "\ud800x"),
        ('{"status":{"message":"é\x85"}}'.encode(), "é\x85"),
    ],
)
def test_text_that_is_not_utf_8_is_read_with_replacement(raw: bytes, text: str) -> None:
    pod = PODS.read(raw)
    assert isinstance(pod, Pod)
    assert pod.status.message == text


def test_an_undecodable_object_still_has_its_name_and_uid() -> None:
    undecodable = PODS.read(b'{"metadata":{"uid":"u","resourceVersion":"7"},"status":{"phase":3}}')
    assert isinstance(undecodable, Undecodable)
    assert (undecodable.uid, undecodable.resource_version) == ("u", "7")
    assert "phase" in undecodable.why


def test_events_of_a_watch_are_read() -> None:
    seen = PODS.read_event(line("ADDED", {"metadata": {"uid": "u"}}))
    assert isinstance(seen, ObjectEvent)
    assert seen.type == "ADDED"
    assert PODS.read_event(line("BOOKMARK", {"metadata": {"resourceVersion": "9"}, "spec": {"containers": None}})) == (
        Bookmark(resource_version="9")
    )
    status = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
    assert PODS.read_event(line("ERROR", status)) == ErrorEvent(status=410, reason="Expired", message="too old")
    assert PODS.read_event(line("ERROR", "?")) == ErrorEvent(status=500, reason="", message="")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"type":"SUNG","object":{}}',
        b'{"type":"ADDED"}',
        b'{"type":"ADDED","object":{"meta',
        b"\xff",
    ],
)
def test_a_line_that_is_no_event_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        PODS.read_event(raw)


def test_a_page_with_an_undecodable_object_keeps_the_others() -> None:
    items = [{"metadata": {"uid": "a"}}, {"metadata": {"uid": "b"}, "status": 5}, {"metadata": {"uid": "c"}}]
    page = PODS.read_page(json.dumps({"metadata": {"resourceVersion": "3", "continue": "t"}, "items": items}).encode())
    assert [pod.metadata.uid for pod in page.objects] == ["a", "c"]
    assert [undecodable.uid for undecodable in page.undecodable] == ["b"]
    assert (page.resource_version, page.continue_token) == ("3", "t")


def test_a_list_without_items_is_empty() -> None:
    page = PODS.read_page(b'{"metadata":{"resourceVersion":"3"},"items":null}')
    assert (page.objects, page.undecodable, page.continue_token) == ([], [], "")


@pytest.mark.parametrize("raw", [b"", b"[]", b"nonsense", b'{"items":3}', b"\xff\xfe"])
def test_a_body_that_is_no_list_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        PODS.read_page(raw)


@pytest.mark.parametrize("kind", [Pod, Node, Event])
@given(value=anything)
def test_any_object_is_decoded_or_undecodable(kind: type[Pod], value: Any) -> None:  # noqa: ANN401 - any JSON
    raw = json.dumps(value).encode()
    assert isinstance(Codec(kind).read(raw), (kind, Undecodable))


@given(raw=st.binary(max_size=80))
def test_any_bytes_are_read_or_unreadable(raw: bytes) -> None:
    assert isinstance(PODS.read(raw), (Pod, Undecodable))
    with suppress(Unreadable):
        assert PODS.read_event(raw) is not None


def test_nesting_without_end_is_undecodable() -> None:
    assert isinstance(PODS.read(b'{"metadata":' + b"[" * 200_000), Undecodable)
