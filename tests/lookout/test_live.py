"""What clients of a Lookout process learn while it stores, and while another one of the same database does."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from bench.live import api_port
from tests.lookout.api.serving import Client
from tests.lookout.api.test_changes import Watcher
from tests.lookout.process import LookoutProcess, failures, messages, write_settings
from tests.scheduler.path import Place, publish, wait_until
from tests.store.databases import DATABASES

pytestmark = pytest.mark.slow


@pytest.fixture
def started() -> Iterator[list[LookoutProcess]]:
    """Every process a test starts; they end with it."""
    processes: list[LookoutProcess] = []
    yield processes
    for process in processes:
        process.end()


@pytest.fixture(params=DATABASES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    place = Place.in_files(tmp_path)
    if request.param == "sqlite":
        return place
    return Place(broker_url=place.broker_url, store_url=request.getfixturevalue("postgres_store"))


def test_clients_of_every_process_learn_of_what_one_stores(
    place: Place, started: list[LookoutProcess], tmp_path: Path
) -> None:
    settings = write_settings(tmp_path, place)
    for number in range(1 if place.store_url.startswith("sqlite") else 2):
        started.append(LookoutProcess(settings, log=tmp_path / f"log-{number}"))
        wait_until(started[-1].is_ready)
    ports = [api_port(process) for process in started]
    with ExitStack() as stack, closing(place.open_log()) as log:
        watchers = [stack.enter_context(Watcher(port, "?scope=all&scope=job/job-0", buffer=None)) for port in ports]
        before = [dict(watcher.event() for _ in range(2)) for watcher in watchers]
        publish(log, messages(failures(1)))
        after = [dict(watcher.event() for _ in range(2)) for watcher in watchers]

        assert all(versions.keys() == {"all", "job/job-0"} for versions in [*before, *after])
        assert all(new["job/job-0"] > old["job/job-0"] for old, new in zip(before, after, strict=True))
        assert [len(Client(port=port).get("/api/v1/runs").json["items"]) for port in ports] == [1] * len(ports)
        hearing = [json.loads(process.ask("/healthz")[1])["checks"].get("changes") for process in started]
        assert hearing == ([None] if len(started) == 1 else [{"ok": True, "message": ""}] * 2)
        for process, watcher in zip(started, watchers, strict=True):
            assert process.terminate() == 0
            assert watcher.ends()
