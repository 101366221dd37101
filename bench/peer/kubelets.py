"""Kubelets: threads that make pods and write how they end, each over one connection that stays open."""

import json
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, Final

from bench.peer.clusters import NAMESPACE, Cluster

_MERGE: Final = "application/merge-patch+json"
_PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
_SECONDS: Final = 60.0

ENDS: Final = (
    (137, "OOMKilled", ""),
    (1, "Error", "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.15 GiB total capacity)"),
    (1, "Error", "OSError: [Errno 28] No space left on device"),
    (1, "Error", "ModuleNotFoundError: No module named 'torch'"),
    (139, "Error", "Segmentation fault (core dumped)"),
)
"""Code, reason and last words; the shipped rules know all of them."""

Json = dict[str, Any]


class Refused(Exception):
    """The server did not do what it was asked; the text has its answer."""


class Kubelets:
    """This many kubelets, which take turns at the statuses to write."""

    def __init__(self, cluster: Cluster, *, number: int = 8) -> None:
        self._cluster = cluster
        self._number = number

    def create(self, names: Sequence[str], *, finalizers: Sequence[str] = ()) -> None:
        """Make these pods. Raises Refused."""
        self._share(names, lambda connection, name: self._post(connection, name, finalizers))

    def fail(self, names: Sequence[str], *, per_second: float | None = None) -> float:
        """Write that these pods failed, evenly or as fast as it goes; when (monotonic) the last was written."""
        began = time.monotonic()

        def write(connection: HTTPConnection, name: str) -> None:
            if per_second is not None:
                time.sleep(max(0.0, began + names_at[name] / per_second - time.monotonic()))
            self._ask(connection, "PATCH", f"{_PODS}/{name}/status", failed(names_at[name]))

        names_at = {name: index for index, name in enumerate(names)}
        self._share(names, write)
        return time.monotonic()

    def _post(self, connection: HTTPConnection, name: str, finalizers: Sequence[str]) -> None:
        spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}
        metadata = {"name": name, "finalizers": list(finalizers)}
        self._ask(connection, "POST", _PODS, {"metadata": metadata, "spec": spec})

    def _share(self, names: Sequence[str], do: Callable[[HTTPConnection, str], None]) -> None:
        work, errors = iter(names), list[BaseException]()
        taking = threading.Lock()

        def run() -> None:
            connection = self._connect()
            try:
                while not errors:
                    with taking:
                        name = next(work, None)
                    if name is None:
                        return
                    do(connection, name)
            except (OSError, Refused) as error:
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=run) for _ in range(self._number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def _connect(self) -> HTTPConnection:
        where = urllib.parse.urlsplit(self._cluster.url).netloc
        if self._cluster.tls is None:
            return HTTPConnection(where, timeout=_SECONDS)
        return HTTPSConnection(where, context=self._cluster.tls, timeout=_SECONDS)

    def _ask(self, connection: HTTPConnection, method: str, path: str, body: Json) -> None:
        headers = {
            "Authorization": f"Bearer {self._cluster.token}",
            "Content-Type": _MERGE if method == "PATCH" else "application/json",
        }
        connection.request(method, path, json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise Refused(f"{method} {path}: {answer.status} {said.decode(errors='replace')}")


def failed(number: int) -> Json:
    """The status of the pod of this number, which failed as one of ``ENDS``."""
    code, reason, message = ENDS[number % len(ENDS)]
    terminated = {"exitCode": code, "reason": reason} | ({"message": message} if message else {})
    container = {
        "name": "main",
        "image": "example",
        "imageID": "example",
        "ready": False,
        "restartCount": 0,
        "state": {"terminated": terminated},
    }
    return {"status": {"phase": "Failed", "containerStatuses": [container]}}
