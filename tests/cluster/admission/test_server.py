import asyncio
import gzip
import json
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import structlog
from prometheus_client import REGISTRY

from agent.cluster.admission import connection, listener
from agent.cluster.admission.review import Answer, Review
from agent.cluster.admission.server import MAX_BYTES, MAX_BYTES_IN_HAND
from agent.core.admission.conditions import PodCondition, Withheld
from tests.cluster.admission.reviews import FAILED, UID, Json, applied, body, pod
from tests.cluster.admission.serving import LOST, Scripted, Served, always_lost, head, served
from tests.cluster.living import eventually

ALLOWED: Json = {"uid": UID, "allowed": True}
QUICK = timedelta(milliseconds=1)


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"failure_agent_admission_{name}_total", labels) or 0.0


def said(answer: bytes) -> Json:
    response: Json = json.loads(answer)["response"]
    return response


async def raw(webhook: Served, *parts: bytes) -> bytes:
    """Send bytes over TLS, and return all that comes until the server closes."""
    reader, writer = await webhook.connect()
    for part in parts:
        writer.write(part)
    try:
        return await asyncio.wait_for(reader.read(), 60)
    except ConnectionError:
        return b""
    finally:
        writer.transport.abort()


def large(size: int) -> bytes:
    """A review of this size."""
    empty = body(object=pod({"phase": "Failed", "message": ""}))
    return body(object=pod({"phase": "Failed", "message": "m" * (size - len(empty))}))


async def test_a_failing_pod_gets_the_conditions_of_the_decider(tmp_path: Path) -> None:
    before = counted("conditions", condition=LOST.type)
    async with served(tmp_path, Scripted()) as webhook:
        status, answer = await webhook.post(body())

    stored = applied(pod(FAILED), answer)
    assert status == 200
    assert [condition["type"] for condition in stored["status"]["conditions"]] == [LOST.type]
    assert counted("conditions", condition=LOST.type) == before + 1


@pytest.mark.parametrize("why", [Withheld.NOT_PROVEN, Withheld.DRY_RUN])
async def test_a_pod_without_a_condition_is_allowed_and_counted(tmp_path: Path, why: Withheld) -> None:
    before = counted("withheld", reason=why)
    async with served(tmp_path, Scripted(script=lambda _: why)) as webhook:
        status, answer = await webhook.post(body())

    assert (status, said(answer)) == (200, ALLOWED)
    assert counted("withheld", reason=why) == before + 1


async def test_a_condition_that_is_there_already_counts_as_present(tmp_path: Path) -> None:
    before = counted("withheld", reason=Withheld.PRESENT)
    has = pod({"phase": "Failed", "conditions": [{"type": LOST.type, "status": "False"}]})
    async with served(tmp_path, Scripted()) as webhook:
        _, answer = await webhook.post(body(object=has))

    assert said(answer) == ALLOWED
    assert counted("withheld", reason=Withheld.PRESENT) == before + 1


def slow(_: Review) -> Answer:
    time.sleep(0.03)
    return (LOST,)


async def test_an_answer_after_the_deadline_has_no_condition(tmp_path: Path) -> None:
    before = counted("withheld", reason=Withheld.LATE)
    async with served(tmp_path, Scripted(script=slow), deadline=QUICK) as webhook:
        _, answer = await webhook.post(body())

    assert said(answer) == ALLOWED
    assert counted("withheld", reason=Withheld.LATE) == before + 1


async def test_a_request_that_took_too_long_to_arrive_is_not_decided(tmp_path: Path) -> None:
    decider = Scripted()
    async with served(tmp_path, decider, deadline=QUICK) as webhook:
        reader, writer = await webhook.connect()
        writer.write(head(len(body())))
        await eventually(lambda: webhook.server._in_hand > 0)
        await asyncio.sleep(0.05)
        writer.write(body())
        answer = await reader.readuntil(b"}}")
        writer.close()

    assert b"200 OK" in answer
    assert b"patch" not in answer
    assert decider.asked == []


async def test_why_a_pod_gets_nothing_stays_the_reason_however_long_it_took(tmp_path: Path) -> None:
    def nothing(_: Review) -> Answer:
        webhook.server._deadline = 0.0
        return Withheld.LIMIT

    before = counted("withheld", reason=Withheld.LIMIT)
    async with served(tmp_path, Scripted(script=nothing)) as webhook:
        await webhook.post(body())

    assert counted("withheld", reason=Withheld.LIMIT) == before + 1


def raising(_: Review) -> Answer:
    raise RuntimeError("secret of the agent")


def unwritable(_: Review) -> Answer:
    return (PodCondition(type="failure-agent.dev/Infrastructure", reason="r", message="\ud800"),)


@pytest.mark.parametrize("script", [raising, unwritable])
async def test_a_fault_of_the_decider_allows_the_pod_and_is_logged(
    tmp_path: Path, script: Callable[[Review], Answer]
) -> None:
    before = counted("withheld", reason=Withheld.FAULT)
    with structlog.testing.capture_logs() as logs:
        async with served(tmp_path, Scripted(script=script)) as webhook:
            answers = [await webhook.post(body()) for _ in range(3)]

    assert [(status, said(answer)) for status, answer in answers] == [(200, ALLOWED)] * 3
    assert counted("withheld", reason=Withheld.FAULT) == before + 3
    assert len([line for line in logs if line["log_level"] == "error"]) == 1


@pytest.mark.parametrize(
    ("request_bytes", "status", "why"),
    [
        (b"\x16\x03\x01junk\r\n\r\n", 400, "http"),
        (b"GET / HTTP/9.9\r\n\r\n", 400, "http"),
        (b"POST /conditions HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "http"),
        (b"POST /conditions HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n\r\n", 400, "http"),
        (b"GET /conditions HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method"),
        (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404, "path"),
        (b"POST /conditions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 415, "type"),
        (head(2).replace(b"Content-Length: 2", b"Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n\r\n", 411, "length"),
        (b"POST /conditions HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", 415, "type"),
        (head(MAX_BYTES + 1), 413, "too-large"),
        (head("9" * 19), 413, "too-large"),
        (head(2) + b"{}", 400, "review"),
        (head(3) + b"\xff\xfe\x00", 400, "review"),
        (head(100_000) + b"[" * 100_000, 400, "review"),
    ],
)
async def test_what_is_no_review_is_refused_and_learns_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_bytes: bytes, status: int, why: str
) -> None:
    monkeypatch.setattr(connection, "_LINGERING_SECONDS", 0.05)
    before = counted("refused", why=why)
    decider = Scripted()
    with structlog.testing.capture_logs() as logs:
        async with served(tmp_path, decider) as webhook:
            answer = await raw(webhook, request_bytes)

    assert answer.split()[1] == str(status).encode()
    assert b"Server: failure-agent" in answer
    assert not any(word in answer for word in (b"aiohttp", b"Python", b"Traceback", b".py"))
    assert (decider.asked, [line for line in logs if "exc_info" in line or "exception" in line]) == ([], [])
    assert counted("refused", why=why) == before + 1


async def test_what_is_no_tls_is_closed_and_counted(tmp_path: Path) -> None:
    before = counted("refused", why="handshake")
    async with served(tmp_path, Scripted()) as webhook:
        reader, writer = await webhook.dial()
        writer.write(head(2) + b"{}")
        answer = await reader.read()
        writer.close()
        status, _ = await webhook.post(body())

    assert b"HTTP" not in answer
    assert (status, counted("refused", why="handshake")) == (200, before + 1)


async def test_a_compressed_body_is_not_expanded(tmp_path: Path) -> None:
    async with served(tmp_path, Scripted()) as webhook:
        status, _ = await webhook.post(gzip.compress(body()), **{"Content-Encoding": "gzip"})

    assert status == 400


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 413)])
async def test_a_review_of_three_megabytes_is_answered_and_a_larger_one_is_not(
    tmp_path: Path, more: int, status: int
) -> None:
    async with served(tmp_path, Scripted()) as webhook:
        assert (await webhook.post(large(MAX_BYTES + more)))[0] == status


async def test_large_requests_that_never_end_leave_no_room_for_more_until_they_are_dropped(tmp_path: Path) -> None:
    async with served(tmp_path, Scripted()) as webhook:
        writers = []
        for _ in range(MAX_BYTES_IN_HAND // MAX_BYTES):
            _, writer = await webhook.connect()
            writer.write(head(MAX_BYTES) + b"{")
            writers.append(writer)
        await eventually(lambda: webhook.server._in_hand + MAX_BYTES > MAX_BYTES_IN_HAND)
        full, _ = await webhook.post(large(MAX_BYTES))
        small, _ = await webhook.post(body())
        for writer in writers:
            writer.transport.abort()
        await eventually(lambda: webhook.server._in_hand == 0)
        again, _ = await webhook.post(large(MAX_BYTES))

    assert (full, small, again) == (503, 200, 200)


async def test_one_connection_serves_many_requests(tmp_path: Path) -> None:
    async with served(tmp_path, Scripted()) as webhook:
        reader, writer = await webhook.connect()
        for _ in range(3):
            writer.write(head(len(body())) + body())
            assert b"200 OK" in await reader.readuntil(b"}}")
        writer.close()


async def test_a_request_that_does_not_arrive_whole_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is what follows one that was answered."""

    def hurry(review: Review) -> Answer:
        monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.05)
        return always_lost(review)

    before, patience = counted("refused", why="slow"), connection.REQUEST_SECONDS
    async with served(tmp_path, Scripted(script=hurry)) as webhook:
        whole_and_half = await raw(webhook, head(len(body())) + body() + head(100) + b"{")
        halves = await asyncio.gather(*(raw(webhook, half) for half in (b"P", head(100)[:-2], head(100) + b"{")))
        monkeypatch.setattr(connection, "REQUEST_SECONDS", patience)
        status, _ = await webhook.post(body())

    assert (halves, whole_and_half.split()[1]) == ([b"", b"", b""], b"200")
    assert (status, counted("refused", why="slow")) == (200, before + 4)


async def test_a_handshake_that_does_not_go_on_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HANDSHAKE_SECONDS", 0.05)
    before = counted("refused", why="handshake")
    async with served(tmp_path, Scripted()) as webhook:
        reader, writer = await webhook.dial()
        assert await asyncio.wait_for(reader.read(), 60) == b""
        writer.close()

    assert counted("refused", why="handshake") == before + 1


@pytest.mark.parametrize("half_open", ["handshake", "connection"])
async def test_connections_that_nobody_uses_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half_open: str
) -> None:
    monkeypatch.setattr(listener, "MOST_CONNECTIONS", 4)
    monkeypatch.setattr(listener, "_SURELY_IDLE_SECONDS", 0.05)
    async with served(tmp_path, Scripted()) as webhook:
        unused = [await (webhook.connect() if half_open == "connection" else webhook.dial()) for _ in range(4)]
        statuses = [(await webhook.post(body()))[0] for _ in range(3)]
        oldest = await asyncio.wait_for(unused[0][0].read(), 60)
        for _, writer in unused:
            writer.transport.abort()

    assert (statuses, oldest) == ([200, 200, 200], b"")


async def test_what_is_asked_at_this_moment_does_not_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MOST_CONNECTIONS", 1)
    monkeypatch.setattr(listener, "_SURELY_IDLE_SECONDS", 0.0)
    async with served(tmp_path, Scripted()) as webhook:
        reader, writer = await webhook.connect()
        writer.write(head(len(body())))
        await eventually(lambda: webhook.server._in_hand > 0)
        other = asyncio.create_task(webhook.post(body()))
        await asyncio.sleep(0.2)
        waits = not other.done()
        writer.write(body())
        answer = await reader.readuntil(b"}}")
        status, _ = await other
        writer.close()

    assert (waits, b"200 OK" in answer, status) == (True, True, 200)
