"""Liveness, readiness and metrics of a process over HTTP, from threads of its own."""

import json
import threading
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

import structlog
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import choose_encoder

from agent.telemetry.check import Check, CheckRunner

_log = structlog.get_logger(__name__)

__all__ = ["Check", "HealthPages", "HealthServer"]

_REQUEST_SECONDS = 5.0
"""Seconds after which the server drops a client that sends nothing."""

_POLL_SECONDS = 0.1
"""How often the server checks whether it must stop."""

ANSWER_SECONDS = 3.0
"""Seconds that all checks of a page together may take: less than the 5 s of the probes in ``deploy/``."""


class HealthServer:
    """Serves ``/healthz``, ``/readyz`` and ``/metrics``; ready when every check is.

    ``alive`` are the checks of ``/healthz``: what only a restart can fix. Port 0 takes a free one; see ``port``.
    Checks run side by side; one that raises, or gives no answer within ``patience`` seconds, fails.
    """

    def __init__(
        self,
        host: str,
        port: int,
        checks: Mapping[str, Check],
        *,
        alive: Mapping[str, Check] | None = None,
        registry: CollectorRegistry = REGISTRY,
        patience: float = ANSWER_SECONDS,
    ) -> None:
        self.pages: Final = HealthPages(ready=checks, alive=alive or {}, registry=registry, patience=patience)
        self._server = _server(host, port, self.pages)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), name="health", daemon=True
        )

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class HealthPages:
    """The pages, without the socket. Servers that share them run each check once at a time."""

    def __init__(
        self,
        *,
        ready: Mapping[str, Check],
        alive: Mapping[str, Check],
        registry: CollectorRegistry = REGISTRY,
        patience: float = ANSWER_SECONDS,
    ) -> None:
        self._checks = {"/readyz": _questions(ready), "/healthz": _questions(alive)}
        self._registry = registry
        self._patience = patience

    def answer(self, path: str, *, accept: str) -> tuple[HTTPStatus, str, bytes]:
        """Status, content type and body for a path."""
        if path in self._checks:
            return _report(_answers(self._checks[path], seconds=self._patience))
        if path == "/metrics":
            encoder, content_type = choose_encoder(accept)
            return HTTPStatus.OK, content_type, encoder(self._registry)
        return HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"try /healthz, /readyz or /metrics\n"


def _questions(checks: Mapping[str, Check]) -> Mapping[str, CheckRunner]:
    return {name: CheckRunner(name, check) for name, check in checks.items()}


def _answers(questions: Mapping[str, CheckRunner], *, seconds: float) -> Mapping[str, str | None]:
    until = time.monotonic() + seconds
    asked = {name: question.ask() for name, question in questions.items()}
    return {name: pending.within(until - time.monotonic()) for name, pending in asked.items()}


def _report(found: Mapping[str, str | None]) -> tuple[HTTPStatus, str, bytes]:
    well = all(message is None for message in found.values())
    body = {
        "status": "ok" if well else "unavailable",
        "checks": {name: {"ok": message is None, "message": message or ""} for name, message in found.items()},
    }
    status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
    return status, "application/json", json.dumps(body, indent=2).encode() + b"\n"


def _server(host: str, port: int, pages: HealthPages) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        timeout = _REQUEST_SECONDS
        server_version = "failure-agent"
        sys_version = ""

        def do_GET(self) -> None:
            status, content_type, body = pages.answer(urlsplit(self.path).path, accept=self.headers.get("Accept", ""))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the name http.server looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            _log.debug("health request", line=format % args)

    class Server(ThreadingHTTPServer):
        address_family = AF_INET6 if ":" in host else AF_INET
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            del request
            _log.warning("health request failed", client=str(client_address), exc_info=True)

    try:
        return Server((host, port), Handler)
    except OSError as error:
        what = f"/healthz, /readyz and /metrics cannot be served on {host}:{port}"
        raise OSError(f"{what}: {error.strerror}; change health.host or health.port") from error
