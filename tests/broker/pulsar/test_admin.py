"""What the admin API answers is believed only as far as it can be read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from agent.bounds import MAX_BYTES
from agent.broker.port import BrokerError
from agent.broker.pulsar.admin import configured
from agent.settings.pulsar import PulsarSettings


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            del args

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000, b" " * (MAX_BYTES + 1)])
def test_an_answer_that_cannot_be_read_is_an_error_of_the_broker(body: bytes) -> None:
    with answering(body) as url, pytest.raises(BrokerError, match="cannot be read"):
        configured(url, PulsarSettings(), namespace="public/default")
