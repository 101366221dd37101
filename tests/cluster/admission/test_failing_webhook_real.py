"""A webhook that fails in some way: Jobs behave as without one, and no status that a kubelet writes is lost."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from tests.cluster.admission.configuration import named
from tests.cluster.admission.plain_job import IGNORES_INFRASTRUCTURE, PlainJob, first_half, of_infrastructure, ours
from tests.servers.audit import status_writes
from tests.servers.authority import Authority
from tests.servers.control_plane import ControlPlane
from tests.servers.scripted_webhook import allowed, scripted
from tests.servers.webhook_configuration import installed
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

SECONDS_OF_A_SLOW_ONE: Final = 2.0
GARBAGE: Final[tuple[Callable[[Json], bytes], ...]] = (
    lambda _: b"",
    lambda _: b"\x00\xff{",
    lambda _: b"null",
    lambda _: b'{"kind": "Pod", "apiVersion": "v1"}',
    lambda review: json.dumps({**json.loads(allowed(review)), "response": None}).encode(),
)


@contextmanager
def slow(authority: Authority) -> Iterator[str]:
    def late(review: Json) -> bytes:
        time.sleep(SECONDS_OF_A_SLOW_ONE)
        return allowed(review)

    with scripted(late, authority.issue("slow")) as server:
        yield server.url


@contextmanager
def garbage(authority: Authority) -> Iterator[str]:
    answers = iter(GARBAGE * 1_000)

    def said(review: Json) -> bytes:
        return next(answers)(review)

    with scripted(said, authority.issue("garbage")) as server:
        yield server.url


@contextmanager
def expired(authority: Authority) -> Iterator[str]:
    with scripted(allowed, authority.issue("expired", lasts=-timedelta(minutes=1))) as server:
        yield server.url
        assert server.reviews == []


@contextmanager
def stopped(_: Authority) -> Iterator[str]:
    with socket.socket() as deaf:  # bound, so that nobody else listens there
        deaf.bind(("127.0.0.1", 0))
        yield f"https://127.0.0.1:{deaf.getsockname()[1]}/"


WAYS: Final[Mapping[str, Callable[[Authority], AbstractContextManager[str]]]] = {
    way.__name__: way for way in (stopped, slow, expired, garbage)
}


@pytest.mark.parametrize("way", WAYS)
def test_a_job_fails_as_without_the_webhook(
    job_controller: ControlPlane, namespace: str, tmp_path: Path, way: str
) -> None:
    authority = Authority(tmp_path)
    job = PlainJob(client=job_controller.client(), namespace=namespace)
    with (
        WAYS[way](authority) as url,
        installed(named(namespace), job_controller, url=url, authority=authority.certificate, within=namespace),
    ):
        job.create(IGNORES_INFRASTRUCTURE)
        failed = job.fail(first_half(of_infrastructure))
        assert job.until_failed() == "BackoffLimitExceeded"

    assert all(pod["status"]["phase"] == "Failed" and ours(pod) == [] for pod in failed.values())
    names = {pod["metadata"]["name"] for pod in failed.values()}
    written = [write for write in status_writes(job_controller.site.folder, namespace) if write.pod in names]
    assert [(write.code, write.failed_open) for write in written if write.asked] == [(200, 1)] * len(names)
