"""Answers that several callers share, and never one from before a change that they know of."""

import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.lookout.api import shared
from agent.lookout.api.live import Live
from agent.lookout.api.problems import Unforeseen
from agent.lookout.api.shared import Shared
from agent.lookout.changes import Changes
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT
from tests.lookout.api.serving import Answer, Client, serving
from tests.scheduler.path import wait_until

TOGETHER = 5


class Site:
    """An application that counts what it computes, and waits with each answer while ``go`` is cleared."""

    def __init__(self) -> None:
        self.changes = Changes()
        self.live = Live(self.changes, interval=0, first=1)
        self.asked = 0
        self.computed = 0
        self.began = threading.Semaphore(0)
        self.go = threading.Event()
        self.go.set()

    def app(self) -> FastAPI:
        app = FastAPI(lifespan=self._started)
        app.add_middleware(Unforeseen)
        app.add_middleware(Shared, below="/api/", but=("/api/own/",), live=self.live)
        app.add_middleware(self._counted)
        app.get("/api/number")(self.number)
        app.get("/api/refused")(self.refused)
        app.get("/api/parts")(self.parts)
        app.get("/api/fails")(self.fails)
        app.get("/api/own/number")(self.number)
        app.get("/other")(self.number)
        app.post("/api/number")(self.number)
        return app

    def _counted(self, app: ASGIApp) -> ASGIApp:
        async def counting(scope: Scope, receive: Receive, send: Send) -> None:
            self.asked += scope["type"] == "http"
            await app(scope, receive, send)

        return counting

    @asynccontextmanager
    async def _started(self, _app: FastAPI) -> AsyncIterator[None]:
        with self.live.running():
            yield

    def compute(self) -> int:
        self.computed += 1
        number = self.computed
        self.began.release()
        assert self.go.wait(10)
        return number

    def number(self, request: Request) -> Response:
        return JSONResponse({"number": self.compute(), "query": request.url.query})

    def refused(self) -> Response:
        return JSONResponse({"number": self.compute()}, HTTPStatus.BAD_REQUEST)

    def parts(self) -> Response:
        self.compute()
        return StreamingResponse(iter([b"1", b"2"]), media_type="application/json")

    def fails(self) -> None:
        self.compute()
        raise RuntimeError("on purpose")


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def client(site: Site) -> Iterator[Client]:
    with serving(site.app()) as found:
        yield found


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(TOGETHER) as found:
        yield found


def number(answer: Answer) -> int:
    found: int = answer.json["number"]
    return found


def test_who_asks_the_same_within_a_second_gets_the_same(client: Client, site: Site) -> None:
    answers = [client.get("/api/number?b=2&a=1"), client.get("/api/number?b=2&a=1"), client.get("/api/number?a=1&b=2")]

    assert {answer.body for answer in answers} == {b'{"number":1,"query":"b=2&a=1"}'}
    assert client.get("/api/number?a=1").json["number"] == 2
    assert site.computed == 2


def asked_while_it_is_computed(site: Site, client: Client, pool: ThreadPoolExecutor, path: str) -> list[Answer]:
    """The answers to several that ask while the first is being computed."""
    site.go.clear()
    asking: list[Future[Answer]] = [pool.submit(client.get, path)]
    assert site.began.acquire(timeout=10)
    asking += [pool.submit(client.get, path) for _ in range(TOGETHER - 1)]
    wait_until(lambda: site.asked == TOGETHER)
    site.go.set()
    return [asked.result() for asked in asking]


@pytest.mark.parametrize(("path", "status"), [("/api/number", 200), ("/api/refused", 400), ("/api/fails", 500)])
def test_what_is_asked_while_it_is_computed_is_computed_once(
    site: Site, client: Client, pool: ThreadPoolExecutor, path: str, status: int
) -> None:
    answers = asked_while_it_is_computed(site, client, pool, path)

    assert {answer.status for answer in answers} == {status}
    assert site.computed == 1


def test_what_failed_is_not_kept(client: Client, site: Site) -> None:
    for path in ("/api/refused", "/api/fails"):
        before = site.computed
        client.get(path)
        client.get(path)
        assert site.computed == before + 2


def test_what_is_sent_in_parts_is_shared_with_nobody(site: Site, client: Client, pool: ThreadPoolExecutor) -> None:
    answers = asked_while_it_is_computed(site, client, pool, "/api/parts")

    assert {answer.body for answer in answers} == {b"12"}
    assert site.computed == TOGETHER
    assert "etag" not in answers[0].headers


def test_after_a_change_nobody_gets_what_was_before(client: Client, site: Site) -> None:
    first = number(client.get("/api/number"))
    version = site.live.version
    site.changes.report(None)
    wait_until(lambda: site.live.version > version)

    assert number(client.get("/api/number")) == first + 1


def test_who_asks_after_a_change_does_not_wait_for_what_was_asked_before(
    client: Client, site: Site, pool: ThreadPoolExecutor
) -> None:
    site.go.clear()
    before = pool.submit(client.get, "/api/number")
    assert site.began.acquire(timeout=10)
    site.changes.report(None)
    wait_until(lambda: site.live.version == 2)
    after = pool.submit(client.get, "/api/number")
    assert site.began.acquire(timeout=10)
    site.go.set()

    assert (number(before.result()), number(after.result())) == (1, 2)


def test_who_changes_something_sees_it(client: Client) -> None:
    first = number(client.get("/api/number"))
    client.post("/api/number", {})

    assert number(client.get("/api/number")) == first + 2


@pytest.mark.parametrize("path", ["/other", "/api/own/number"])
def test_other_paths_are_not_kept(client: Client, path: str) -> None:
    assert [number(client.get(path)) for _ in range(2)] == [1, 2]


def test_it_is_computed_again_after_its_time(client: Client, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "KEPT_SECONDS", 0.02)
    client.get("/api/number")
    wait_until(lambda: number(client.get("/api/number")) > 1)

    assert site.computed >= 2


def test_more_than_may_be_kept_is_not(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "MOST_BYTES", 10)

    assert [number(client.get("/api/number")) for _ in range(2)] == [1, 2]


def test_who_has_an_answer_gets_none_again(client: Client) -> None:
    answer = client.get("/api/number")
    tag = answer.headers["etag"]
    again = client.get("/api/number", If_None_Match=f'W/"other", {tag}')

    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert "content-type" not in again.headers
    assert again.headers["cache-control"] == "private, no-cache"
    assert client.get("/api/number", If_None_Match=tag.removeprefix("W/")).status == 304
    assert client.get("/api/number", If_None_Match='W/"other"').status == 200
    assert client.get("/api/number", If_None_Match="*").status == 304
    assert client.get("/api/refused", If_None_Match="*").status == 400


def test_the_first_to_ask_may_have_it_as_well(client: Client, site: Site) -> None:
    tag = client.get("/api/number").headers["etag"]
    site.computed = 0
    client.post("/api/number", {})
    site.computed = 0

    assert client.get("/api/number", If_None_Match=tag).status == 304


def test_one_place_says_what_a_caller_may_see_of_which_the_key_of_answers_is_made() -> None:
    def finds_out_itself(file: Path) -> Iterator[str]:
        if "EVERYTHING" in file.read_text(encoding="utf-8"):
            yield f"{file.name}: take what the caller may see from a parameter of the type Seen, or from sight_of"

    modules = (ROOT / "agent/lookout/api").rglob("*.py")
    assert_no_findings(finds_out_itself, [file for file in modules if file.name != "backend.py"])
