"""The person: submits scripted jobs to whichever scheduler answers, and asks what the scripts say."""

import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeVar

import yaml

from agent.api.v1 import job_pb2 as pb
from agent.client import resources as resource_api
from agent.client.errors import ApiUnreachable
from agent.client.jobs import JobClient, connect
from tests.chaos.loop.jobs import Asked, Fault, ScriptedJob
from tests.chaos.loop.world import INIT, NUMBER

QUEUE: Final = "chaos"
_WHO: Final = "chaos"
_PAUSE_SECONDS: Final = 0.1
_SUBMITTED: Final = (pb.SUBMIT_OUTCOME_SUBMITTED, pb.SUBMIT_OUTCOME_EXISTS)
_GRANTED: Final = (pb.REQUEST_OUTCOME_DONE, pb.REQUEST_OUTCOME_UNCHANGED)
_QUEUE_TEXT: Final = yaml.safe_dump(
    {"apiVersion": "armadaproject.io/v1", "kind": "Queue", "metadata": {"name": QUEUE}, "spec": {}}
)

_Answer = TypeVar("_Answer")
Addresses = Callable[[], Sequence[str]]
"""Where schedulers serve their APIs now."""


class NotTaken(AssertionError):
    """A scheduler refused what it has to take."""


class Person:
    """Works in a thread of its own between ``start`` and ``stop``. ``seen`` gives the jobs of which a pod has a node.

    What was asked is added to ``granted``.
    """

    def __init__(
        self, addresses: Addresses, *, namespace: str, seen: Callable[[], Collection[int]], granted: set[int]
    ) -> None:
        self.job_ids: dict[int, str] = {}
        self._addresses: Final = addresses
        self._namespace: Final = namespace
        self._seen: Final = seen
        self._to_submit: list[ScriptedJob] = []
        self._to_ask: list[ScriptedJob] = []
        self._granted: Final = granted
        self._stop: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._run)
        self._broken: list[BaseException] = []

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what ended it."""
        if self._broken:
            raise self._broken[0]

    def submit(self, jobs: Sequence[ScriptedJob]) -> None:
        """Have these submitted."""
        self._to_submit += jobs

    def is_done(self) -> bool:
        """Whether all is submitted and asked."""
        return not self._to_submit and not self._to_ask

    def _run(self) -> None:
        try:
            self._insist(_create_queue)
            while not self._stop.wait(_PAUSE_SECONDS):
                self._submit_some()
                self._ask_some()
        except _Stopped:
            return
        except BaseException as error:  # noqa: BLE001 - raised again by check, in the main thread
            self._broken.append(error)

    def _submit_some(self) -> None:
        jobs = list(self._to_submit)
        if not jobs:
            return
        text = _text(jobs, self._namespace)
        results = self._insist(lambda address: _with_jobs(address, lambda client: client.submit(text)))
        for job, result in zip(jobs, results, strict=True):
            if result.outcome not in _SUBMITTED:
                raise NotTaken(f"job {job.number}: {result.message}")
            self.job_ids[job.number] = result.job_id
        self._to_ask += [job for job in jobs if job.asked is not None]
        del self._to_submit[: len(jobs)]

    def _ask_some(self) -> None:
        seen = self._seen()
        for job in [each for each in self._to_ask if each.asked is not Asked.CANCEL or each.number in seen]:
            self._ask(job)
            self._to_ask.remove(job)

    def _ask(self, job: ScriptedJob) -> None:
        (result,) = self._insist(lambda address: _with_jobs(address, lambda client: self._call(client, job)))
        if result.outcome not in _GRANTED:
            raise NotTaken(f"{job.asked} of job {job.number}: {result.message}")
        self._granted.add(job.number)

    def _call(self, client: JobClient, job: ScriptedJob) -> Sequence[pb.RequestResult]:
        job_ids = [self.job_ids[job.number]]
        return client.never_retry(job_ids) if job.asked is Asked.NEVER_RETRY else client.cancel(job_ids)

    def _insist(self, ask: Callable[[str], _Answer]) -> _Answer:
        """Ask one scheduler after the other until one answers."""
        while True:
            for address in self._addresses():
                try:
                    return ask(address)
                except ApiUnreachable:
                    continue
            if self._stop.wait(_PAUSE_SECONDS):
                raise _Stopped
            time.sleep(_PAUSE_SECONDS)


class _Stopped(Exception):
    """Asked to stop while nobody answered."""


def _create_queue(address: str) -> None:
    with resource_api.connect(address, who=_WHO) as client:
        client.apply(_QUEUE_TEXT)


def _with_jobs(address: str, call: Callable[[JobClient], _Answer]) -> _Answer:
    with connect(address, who=_WHO) as client:
        return call(client)


def _text(jobs: Sequence[ScriptedJob], namespace: str) -> str:
    items = [_item(job, namespace) for job in jobs]
    return yaml.safe_dump({"queue": QUEUE, "jobSetId": "chaos", "jobs": items})


def _item(job: ScriptedJob, namespace: str) -> dict[str, Any]:
    return {
        "clientId": f"chaos-{job.number:05}",
        "namespace": namespace,
        "annotations": {NUMBER: str(job.number)},
        "podSpec": _pod_spec(job),
    }


def _pod_spec(job: ScriptedJob) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 10,
        "containers": [{"name": "main", "image": "example"}],
    }
    if any(play.fault is Fault.STUCK for play in job.plays):
        spec["initContainers"] = [{"name": INIT, "image": "example"}]
    return spec
