"""``python -m tests.evidence.successful.disturbed PORT_FILE [FOLDER]``: an HTTP server on loopback that fails at first.

Each path is answered wrongly before it is answered well: 503, 429, 500, 502 and 504, then the connection is closed
without an answer, reset, cut in the middle of an answer, and left without an answer for longer than clients wait.
The good answer is the file of ``FOLDER`` at that path, or a few words. ``?faults=reset,503`` picks them.
"""

import http.server
import socket
import struct
import sys
import threading
import time
from collections import Counter
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

ALL: Final = ("503", "reset", "429", "close", "500", "cut", "502", "hang", "504")
_HANG_SECONDS: Final = 4.0
_GOOD: Final = b'{"status": "ok", "message": "this answer came in the end"}\n'


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection; the server counts the requests of each path."""

    protocol_version = "HTTP/1.1"
    server: "Disturbed"

    def do_GET(self) -> None:
        """Answer the next of the faults, or well."""
        address = urlsplit(self.path)
        faults = parse_qs(address.query).get("faults", [self.server.faults])[0].split(",")
        number = self.server.count(address.path)
        fault = faults[number] if number < len(faults) else ""
        if fault.isdigit():
            self._refuse(HTTPStatus(int(fault)))
        elif fault:
            self._break(fault)
        else:
            self._answer(self.server.content(unquote(address.path)))

    def _refuse(self, status: HTTPStatus) -> None:
        body = f"{status.value} {status.phrase}\n".encode()
        self.send_response(status)
        self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _break(self, fault: str) -> None:
        self.close_connection = True
        if fault == "hang":
            time.sleep(_HANG_SECONDS)
        elif fault == "cut":
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Length", str(len(_GOOD) * 10))
            self.end_headers()
            self.wfile.write(_GOOD)
        elif fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # shutdown() of the base class would end it in order
            self.connection.close()

    def _answer(self, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html" if body.startswith(b"<") else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def finish(self) -> None:
        """End the connection; one that was reset has nothing left to flush."""
        try:
            super().finish()
        except (OSError, ValueError):
            self.close_connection = True


class Disturbed(http.server.ThreadingHTTPServer):
    """``faults`` are those of a request that picks none."""

    def __init__(self, folder: Path | None, *, faults: str = ",".join(ALL)) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults = faults
        self._folder = folder
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, path: str) -> int:
        """Return how many requests this path had before."""
        with self._lock:
            self._counts[path] += 1
            return self._counts[path] - 1

    def content(self, path: str) -> bytes:
        """Return the good answer: a file, a list of the files of a folder, or a few words."""
        place = self._folder / path.strip("/") if self._folder else None
        if place is None or not place.exists():
            return _GOOD
        if place.is_file():
            return place.read_bytes()
        return b"<html>" + b"".join(b"<a href='%s'>%s</a>" % ((path.name.encode(),) * 2) for path in place.iterdir())


def main(port_file: Path, folder: Path | None, faults: str) -> None:
    """Serve until stopped; the port is in the file once it serves."""
    with Disturbed(folder, faults=faults) as server:
        port_file.write_text(str(server.server_port), encoding="ascii")
        server.serve_forever()


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        Path(sys.argv[2]) if len(sys.argv) > 2 else None,
        sys.argv[3] if len(sys.argv) > 3 else ",".join(ALL),
    )
