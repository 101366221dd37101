"""What the API says about its process."""

import re
from dataclasses import replace
from pathlib import Path

from agent import __version__
from agent.lookout.api.application import create
from tests.lookout.api.serving import Client, backend, empty_store, serving


def test_the_version(client: Client) -> None:
    assert client.get("/api/v1/version").json == {
        "version": __version__,
        "process": "lookout",
        "scheduler": False,
    }


def test_it_says_whether_there_is_a_scheduler_to_ask(tmp_path: Path) -> None:
    with empty_store(tmp_path) as store:
        fronting = replace(backend(store), scheduler="127.0.0.1:1")
        with serving(create(fronting)) as client:
            assert client.get("/api/v1/version").json["scheduler"] is True


def test_every_response_says_what_took_the_time(client: Client) -> None:
    for path in ("/api/v1/version", "/nowhere"):
        assert re.fullmatch(r"db;dur=[0-9.]+, app;dur=[0-9.]+", client.get(path).headers["server-timing"])


def test_health_is_that_of_the_health_port(tmp_path: Path) -> None:
    checks = {"database": lambda: "is on fire"}
    with empty_store(tmp_path) as store, serving(create(backend(store, checks=checks))) as client:
        ready, alive, metrics = (client.get(path) for path in ("/readyz", "/healthz", "/metrics"))

    assert (ready.status, ready.json["checks"]["database"]["message"]) == (503, "is on fire")
    assert (alive.status, alive.json["status"]) == (200, "ok")
    assert "process_max_fds" in metrics.text


def test_the_document_is_served_and_no_page_that_loads_scripts_from_elsewhere(client: Client) -> None:
    assert "/api/v1/version" in client.get("/api/v1/openapi.json").json["paths"]
    assert {client.get(path).status for path in ("/docs", "/redoc")} == {404}
