"""Pods that fail, and whoever writes that: it does not give up when the API server is gone."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from typing import Final

from agent.kube.finalizer import FINALIZER
from tests.servers.client import Client
from tests.servers.statuses import ended
from tests.simulator.api import MERGE, pod

_WRITERS: Final = 4
_PATIENCE_SECONDS: Final = 120.0
_PAUSE_SECONDS: Final = 0.1
DELETED_EVERY: Final = 2
"""One pod in so many is deleted by somebody as soon as it has failed; only our finalizer keeps it then."""


def _no_labels(name: str) -> Mapping[str, str]:
    del name
    return {}


@dataclass(frozen=True, kw_only=True)
class FailingPods:
    """Pods of one namespace, by name; all carry our finalizer. ``rest``: seconds each writer rests after one failed."""

    client: Client
    namespace: str
    names: Sequence[str]
    labels: Callable[[str], Mapping[str, str]] = _no_labels
    rest: float = 0.0

    def create(self) -> None:
        """Make all of them."""
        with ThreadPoolExecutor(_WRITERS) as writers:
            list(writers.map(self._create, self.names))

    @contextmanager
    def failing(self, names: Sequence[str]) -> Iterator[None]:
        """While the context lasts these fail; it ends when all have."""
        thread = threading.Thread(target=self._fail_all, args=(names,))
        thread.start()
        try:
            yield
        finally:
            thread.join()

    def left(self) -> list[str]:
        """The names of those that still carry our finalizer."""
        found = self.client.get(self._path(""))["items"]
        return [one["metadata"]["name"] for one in found if FINALIZER in one["metadata"].get("finalizers", [])]

    def _fail_all(self, names: Sequence[str]) -> None:
        with ThreadPoolExecutor(_WRITERS) as writers:
            list(writers.map(self._fail, names))

    def _create(self, name: str) -> None:
        made = pod(name, finalizers=[FINALIZER], labels=dict(self.labels(name)))
        self._insist("POST", self._path(""), made, fine=HTTPStatus.CONFLICT)

    def _fail(self, name: str) -> None:
        """Refused with 404 it was done before the connection broke, and the pod is reported and gone."""
        path = self._path(f"/{name}")
        self._insist("PATCH", f"{path}/status", ended(42), fine=HTTPStatus.NOT_FOUND)
        if int(name.rpartition("-")[2]) % DELETED_EVERY == 0:
            self._insist("DELETE", path, None, fine=HTTPStatus.NOT_FOUND)
        time.sleep(self.rest)

    def _insist(self, method: str, path: str, body: object, *, fine: HTTPStatus) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                answer = self.client.ask(method, path, body=body, content_type=MERGE if method == "PATCH" else _JSON)
                if answer.status < HTTPStatus.BAD_REQUEST or answer.status == fine:
                    return
                said = answer.body.decode(errors="replace")
            except (OSError, HTTPException) as error:
                said = str(error)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path}: {said}")
            time.sleep(_PAUSE_SECONDS)

    def _path(self, name: str) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods{name}"


_JSON: Final = "application/json"
