import http.client
import json
import socket
import threading
import time

import pytest
from prometheus_client import CollectorRegistry, Counter

from agent.telemetry.health import HealthServer


def _get(server: HealthServer, path: str, method: str = "GET") -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type", ""), answer.read()
    finally:
        connection.close()


def _raises() -> str | None:
    raise RuntimeError("no such table")


def test_ready_names_each_check_with_its_message() -> None:
    with HealthServer("127.0.0.1", 0, {"broker": lambda: None, "store": lambda: "behind by 3 s"}) as server:
        status, _, body = _get(server, "/readyz")

    assert status == 503
    assert json.loads(body) == {
        "status": "unavailable",
        "checks": {"broker": {"ok": True, "message": ""}, "store": {"ok": False, "message": "behind by 3 s"}},
    }


def test_ready_when_every_check_is_and_again_after_it_was_not() -> None:
    trouble: list[str] = ["starting"]
    with HealthServer("127.0.0.1", 0, {"reflector": lambda: trouble[0] if trouble else None}) as server:
        before, _, _ = _get(server, "/readyz")
        trouble.clear()
        after, _, body = _get(server, "/readyz?verbose")

    assert (before, after) == (503, 200)
    assert json.loads(body)["status"] == "ok"


def test_a_check_that_raises_is_unhealthy_and_says_why() -> None:
    with HealthServer("127.0.0.1", 0, {"store": _raises}) as server:
        status, _, body = _get(server, "/readyz")

    assert status == 503
    assert "RuntimeError: no such table" in json.loads(body)["checks"]["store"]["message"]


def test_health_does_not_ask_whether_it_is_ready() -> None:
    with HealthServer("127.0.0.1", 0, {"store": _raises}) as server:
        assert _get(server, "/healthz")[0] == 200


def test_health_fails_when_only_a_restart_can_help() -> None:
    with HealthServer("127.0.0.1", 0, {}, alive={"publisher": lambda: "the thread died"}) as server:
        status, _, body = _get(server, "/healthz")

    assert status == 503
    assert b"the thread died" in body


def test_metrics_are_served_from_the_registry() -> None:
    registry = CollectorRegistry()
    Counter("failure_agent_example", "An example.", registry=registry).inc(2)
    with HealthServer("127.0.0.1", 0, {}, registry=registry) as server:
        status, content_type, body = _get(server, "/metrics")

    assert status == 200
    assert content_type.startswith("text/plain")
    assert b"failure_agent_example_total 2.0" in body


def test_head_has_no_body_and_unknown_paths_are_not_found() -> None:
    with HealthServer("127.0.0.1", 0, {}) as server:
        assert _get(server, "/healthz", "HEAD")[::2] == (200, b"")
        assert _get(server, "/")[0] == 404


def test_a_silent_client_does_not_hold_up_the_others() -> None:
    with HealthServer("127.0.0.1", 0, {}) as server, socket.create_connection(("127.0.0.1", server.port)):
        assert _get(server, "/healthz")[0] == 200


def test_the_port_is_free_again_after_close() -> None:
    first = HealthServer("127.0.0.1", 0, {}).start()
    port = first.port
    first.close()
    with HealthServer("127.0.0.1", port, {}) as second:
        assert _get(second, "/healthz")[0] == 200


def test_it_can_be_closed_without_having_been_started() -> None:
    HealthServer("127.0.0.1", 0, {}).close()


def test_a_check_that_hangs_is_unhealthy_and_delays_no_other() -> None:
    free, asked = threading.Event(), []

    def hangs() -> str | None:
        asked.append(1)
        free.wait(60)
        return None

    checks = {"disk": hangs, "broker": lambda: None}
    with HealthServer("127.0.0.1", 0, checks, patience=0.2) as server:
        first, second = (json.loads(_get(server, "/readyz")[2])["checks"] for _ in range(2))
        assert len(asked) == 1
        free.set()
        while _get(server, "/readyz")[0] != 200:
            time.sleep(0.01)

    for found in (first, second):
        assert found["disk"] == {"ok": False, "message": "no answer in time"}
        assert found["broker"]["ok"]


@pytest.mark.parametrize(
    ("host", "why"), [("127.0.0.1", "Address already in use"), ("no.such.host.invalid", "cannot be served")]
)
def test_an_address_that_cannot_be_used_is_named_with_its_settings(host: str, why: str) -> None:
    with HealthServer("127.0.0.1", 0, {}) as first, pytest.raises(OSError, match=why) as refused:
        HealthServer(host, first.port, {})

    assert str(refused.value).startswith(f"/healthz, /readyz and /metrics cannot be served on {host}:{first.port}: ")
    assert str(refused.value).endswith("; change health.host or health.port")
