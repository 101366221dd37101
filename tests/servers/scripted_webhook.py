"""An admission webhook that a test scripts: it answers as it is asked to, late, with garbage or not at all."""

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from tests.servers.credential import ClientCertificate
from tests.simulator.api import Json

_LOOPBACK: Final = "127.0.0.1"

Script = Callable[[Json], bytes]
"""From a review, the body of the answer."""


@dataclass(kw_only=True)
class ScriptedWebhook:
    """Where it answers, and the reviews that it was sent so far."""

    url: str
    reviews: list[Json] = field(default_factory=list)

    def asked(self, namespace: str) -> list[str]:
        """The names of the pods of a namespace that it was asked about."""
        requests = [review["request"] for review in self.reviews]
        return [request["name"] for request in requests if request["namespace"] == namespace]


def allowed(review: Json, patch: object = None) -> bytes:
    """An answer that lets the write through, with a JSON patch."""
    answer: Json = {"uid": review["request"]["uid"], "allowed": True}
    if patch is not None:
        answer |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer}).encode()


@contextmanager
def scripted(script: Script, certificate: ClientCertificate) -> Iterator[ScriptedWebhook]:
    """A webhook on loopback that answers by the script until the context ends."""
    webhook = ScriptedWebhook(url="")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            webhook.reviews.append(review)
            body = script(review)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = _Server((_LOOPBACK, 0), Handler, certificate)
    webhook.url = f"https://{_LOOPBACK}:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield webhook
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    """Does not wait for what an answer still sleeps over, nor print what a client that went away leaves."""

    daemon_threads = True
    block_on_close = False

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], certificate: ClientCertificate
    ) -> None:
        super().__init__(address, handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.certificate, certificate.key)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave an end that the client made to the client."""
