"""A bare client that waits for its answers: for what a test arranges before, beside and after what it is about."""

import json
import ssl
import urllib.parse
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPMessage, HTTPSConnection

from tests.simulator.api import MERGE, Json

_SECONDS = 70.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an API server answered, word for word."""

    status: int
    headers: HTTPMessage
    body: bytes

    def json(self) -> Json:
        """The body, which is an object."""
        decoded: Json = json.loads(self.body)
        return decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Sends requests to ``url``, each on its own connection, in the name of the owner of ``token`` where there is one.

    ``ask`` gives every answer; the others take a refusal for a failure of the test. All raise OSError where there is
    no answer.
    """

    url: str
    tls: ssl.SSLContext | None
    token: str | None

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        content_type: str = "application/json",
        seconds: float = _SECONDS,
        query: Mapping[str, str | int] | None = None,
    ) -> Answer:
        where = urllib.parse.urlsplit(self.url)
        headers = {"Content-Type": content_type}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        with closing(self._connection(where.netloc, seconds)) as connection:
            target = f"{path}?{urllib.parse.urlencode(query)}" if query else path
            connection.request(method, target, None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            return Answer(status=answer.status, headers=answer.headers, body=answer.read())

    def _connection(self, address: str, seconds: float) -> HTTPConnection:
        if self.tls is None:
            return HTTPConnection(address, timeout=seconds)
        return HTTPSConnection(address, context=self.tls, timeout=seconds)

    def get(self, path: str, **query: str | int) -> Json:
        return _accepted(self.ask("GET", path, query=query))

    def create(self, path: str, body: Json) -> Json:
        return _accepted(self.ask("POST", path, body=body))

    def patch(self, path: str, body: object, content_type: str = MERGE) -> Json:
        return _accepted(self.ask("PATCH", path, body=body, content_type=content_type))

    def delete(self, path: str, **query: str | int) -> Json:
        return _accepted(self.ask("DELETE", path, query=query))


def _accepted(answer: Answer) -> Json:
    assert answer.status < HTTPStatus.BAD_REQUEST, answer.body.decode(errors="replace")
    return answer.json()
