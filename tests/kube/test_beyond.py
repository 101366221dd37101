"""Objects beyond the bounds are named and skipped: by a list, a watch and a reflector."""

import asyncio
import json
from typing import Any

import msgspec
import pytest

from agent.bounds import LONG_NUMBER, MAX_BYTES, MAX_DIGITS, TOO_DEEP, TOO_LARGE
from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer
from agent.kube.beyond import cut_items, head_of_event
from agent.kube.codec import Codec, ObjectEvent, Undecodable, Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import error_of_answer
from agent.kube.objects import Event, Pod
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Pace, Reflector
from agent.settings.kube import KubeSettings
from tests.kube.scripted import Scripted, bookmark, line, serving

PODS, EVENTS = Codec(Pod), Codec(Event)
LEVELS = [1_100, 100_000]
WHO = {"name": "p", "namespace": "ns", "uid": "u", "resourceVersion": "7"}


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def item(more: str) -> bytes:
    return f'{{"metadata":{json.dumps(WHO)},"spec":{{"x":{more}}}}}'.encode()


def large() -> bytes:
    return item(json.dumps("x" * MAX_BYTES))


def with_long_number() -> bytes:
    return item("1" * 4_301)


def event(thing: bytes, kind: str = "MODIFIED") -> bytes:
    return b'{"type":"%s","object":%s}' % (kind.encode(), thing)


def beyond(why: str) -> Undecodable:
    return Undecodable(uid="u", name="ns/p", resource_version="7", why=why)


@pytest.mark.parametrize("levels", LEVELS)
def test_an_object_nested_too_deeply_is_named(levels: int) -> None:
    assert PODS.read(item(deep(levels))) == beyond(TOO_DEEP)
    assert PODS.read_event(event(item(deep(levels)))) == ObjectEvent(type="MODIFIED", object=beyond(TOO_DEEP))


def test_an_object_that_must_be_read_again_is_bounded_as_well() -> None:
    as_it_may_be = PODS.read(item(deep(98)).replace(b'"p"', b'"\xff"'))
    too_deep = PODS.read(item(deep(99)).replace(b'"p"', b'"\xff"'))

    assert isinstance(as_it_may_be, Pod)
    assert too_deep == Undecodable(uid="u", name="ns/\ufffd", resource_version="7", why=TOO_DEEP)


def test_an_object_that_is_too_large_is_named() -> None:
    assert PODS.read(large()) == beyond(TOO_LARGE)
    assert PODS.read_event(event(large(), "ADDED")) == ObjectEvent(type="ADDED", object=beyond(TOO_LARGE))


@pytest.mark.parametrize("bad", [item(deep(1_100)), item(deep(100_000)), large(), with_long_number()])
def test_one_object_beyond_the_bounds_does_not_hide_the_others_of_its_list(bad: bytes) -> None:
    good = b'{"metadata":{"uid":"a","annotations":{"x":"[\\"]}"}}}'
    body = b'{"kind":"PodList","items":[%s , %s,%s],"metadata":{"resourceVersion":"9"}}' % (good, bad, good)

    page = PODS.read_page(body)

    assert [pod.metadata.uid for pod in page.objects] == ["a", "a"]
    assert [found.name for found in page.undecodable] == ["ns/p"]
    assert page.resource_version == "9"


def test_a_list_may_be_larger_than_an_object() -> None:
    body = b'{"items":[%s]}' % b",".join([item('"%s"' % ("x" * 1000))] * (MAX_BYTES // 1000))

    assert len(PODS.read_page(body).objects) == MAX_BYTES // 1000


@pytest.mark.parametrize("levels", LEVELS)
def test_deep_nesting_that_is_no_event_is_reported_as_no_event(levels: int) -> None:
    for text in (b"[" * levels, b'{"a":' * levels, event(b"[" * levels, "BOOKMARK")):
        with pytest.raises(Unreadable):
            PODS.read_event(text)
        with pytest.raises(Unreadable):
            EVENTS.read_page(text)


@pytest.mark.parametrize("levels", LEVELS)
def test_an_answer_nested_too_deeply_is_an_answer_that_does_not_decode(levels: int) -> None:
    body = f'{{"message":"no","details":{deep(levels)}}}'.encode()

    with pytest.raises(msgspec.DecodeError, match="100 levels"):
        read_answer(Reader(Pod), body)
    assert error_of_answer(403, body, retry_after=None, now=None).status == 403  # type: ignore[arg-type]  # not asked


@pytest.mark.parametrize("form", ['{"x":%s,"metadata":%s}', '{"metadata":%s,"x":%s}'])
def test_an_object_with_a_number_that_is_too_long_is_named(form: str) -> None:
    long, who = "9" * (MAX_DIGITS + 1), json.dumps(WHO)
    thing = (form % ((long, who) if form.startswith('{"x"') else (who, long))).encode()

    assert PODS.read(thing) == beyond(LONG_NUMBER)
    assert PODS.read_event(event(thing)) == ObjectEvent(type="MODIFIED", object=beyond(LONG_NUMBER))


def test_an_answer_that_is_not_utf_8_is_an_answer_that_does_not_decode() -> None:
    with pytest.raises(msgspec.DecodeError, match="utf-8"):
        read_answer(Reader(Pod), b'{"metadata":{"name":"\xff"}}')


@pytest.mark.parametrize("cut", range(5, 90, 3))
def test_a_head_that_is_cut_off_gives_the_texts_before_the_cut(cut: int) -> None:
    text = event(b'{"metadata":{"name":"a \\"uid\\": \\"no\\" {","uid":"u","namespace":"n"}}', "ADDED")
    head = head_of_event(text[:cut])

    assert head.type in ("", "ADDED")
    assert head.metadata["uid"] == ("u" if b'"u"' in text[:cut] else "")


def test_the_head_is_not_fooled_by_what_looks_like_metadata() -> None:
    before = b'{"x":[{"metadata":{"uid":"no"}},{"a":1,"uid":"no"}],"type":"ADDED",'
    text = before + b'"object":{"metadata":{"labels":{"uid":"no"},"uid":"u"}}}'

    assert head_of_event(text).metadata["uid"] == "u"


def test_only_the_items_at_the_top_are_cut_out() -> None:
    mapping: dict[str, Any] = {"items": [1], "s": 'items":[{'}
    text = json.dumps({"metadata": {"items": [{"no": 1}]}, "items": [mapping, mapping, []], "last": [2]}).encode()

    around, items = cut_items(text)

    assert [json.loads(cut) for cut in items] == [mapping, mapping, []]
    assert json.loads(around) == {"metadata": {"items": [{"no": 1}]}, "items": [], "last": [2]}


@pytest.mark.parametrize("bad", [item(deep(1_100)), item(deep(100_000)), large(), with_long_number()])
async def test_a_watch_goes_on_past_an_object_beyond_the_bounds(bad: bytes) -> None:
    said = [line("ADDED", "a", version=2), event(bad, "ADDED") + b"\n", line("ADDED", "b", version=8), bookmark(9)]
    server = Scripted(streams=[b"".join(said)], streamed=False)
    seen: list[str] = []
    done = asyncio.Event()

    async def handle(change: Change[Pod, None]) -> None:
        assert change.object is not None
        seen.append(change.object.metadata.name or "")
        if seen[-1] == "b":
            done.set()

    async with serving(server.answer) as url, await Connection.open(KubeSettings(url=url)) as connection:
        reflector: Reflector[Pod, None] = Reflector(
            connection, path="/api/v1/pods", decode=Pod, handler=handle, pace=Pace(streamed_lists=False)
        )
        running = asyncio.create_task(reflector.run())
        async with asyncio.timeout(20):
            await done.wait()
        running.cancel()

    assert seen == ["a", "b"]
    assert (reflector.stats.bad, len(server.lists), len(server.watches)) == (1, 1, 1)
