"""Submits the jobs of a demo to its scheduler as they fall due, also while that is being restarted."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import yaml

from agent.api.v1 import job_pb2 as pb
from agent.client import jobs as job_api
from agent.client import resources as resource_api
from agent.client.errors import ApiError, ApiUnreachable
from agent.demo.jobs import QUEUES, TIMER_QUEUE, DemoJob, documents, due

_Answer = TypeVar("_Answer")
_WHO: Final = "demo"
_SERVED: Final = re.compile(r"the API is served .*\bport=(\d+)")
_TAKEN: Final = frozenset({pb.SUBMIT_OUTCOME_SUBMITTED, pb.SUBMIT_OUTCOME_EXISTS})


class SubmissionRefused(Exception):
    """The scheduler does not take a queue or a job of the demo; the message says why."""


class Submitter:
    """Submits jobs when they are due; what did not arrive is sent again, under the same client id."""

    def __init__(self, jobs: Sequence[DemoJob], *, address: Callable[[], str | None], copy: Path) -> None:
        self._waiting = list(jobs)
        self._address = address
        self._copy = copy
        self.accepted: set[str] = set()

    @property
    def waiting(self) -> int:
        """How many jobs are still to be submitted."""
        return len(self._waiting)

    def create_queues(self) -> bool:
        """Create the queues of all jobs. Returns False where no scheduler answers. Raises SubmissionRefused."""
        timer = _queue(TIMER_QUEUE, gracefulShutdown="timer")
        text = "---\n".join((timer, *map(_queue, QUEUES)))
        return self._call(lambda address: _apply(address, text)) is not None

    def submit(self, *, elapsed: float) -> None:
        """Submit what is due. Raises SubmissionRefused."""
        jobs = due(self._waiting, elapsed=elapsed)
        if not jobs:
            return
        text = documents(jobs)
        results = self._call(lambda address: _submit(address, text))
        if results is None:
            return
        for result in results:
            if result.outcome not in _TAKEN:
                raise SubmissionRefused(f"the scheduler does not take the job {result.name}: {result.message}")
        self.accepted |= {result.job_id for result in results}
        self._waiting = self._waiting[len(jobs) :]
        with self._copy.open("a") as copy:
            copy.write(text + "---\n")

    def _call(self, ask: Callable[[str], _Answer]) -> _Answer | None:
        """What the scheduler answers; ``None`` while none does."""
        address = self._address()
        if address is None:
            return None
        try:
            return ask(address)
        except ApiUnreachable:
            return None
        except ApiError as error:
            raise SubmissionRefused(f"the scheduler does not take the jobs: {error}") from error


def api_address(log: Path) -> str | None:
    """Where the scheduler serves its API, by the last line of its log that says so; ``None`` until there is one."""
    found = _SERVED.findall(log.read_text(errors="replace")) if log.is_file() else []
    return f"127.0.0.1:{found[-1]}" if found else None


def _queue(name: str, **spec: str) -> str:
    queue = {"apiVersion": "armadaproject.io/v1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}
    return yaml.safe_dump(queue)


def _apply(address: str, text: str) -> object:
    with resource_api.connect(address, who=_WHO) as client:
        return client.apply(text)


def _submit(address: str, text: str) -> Sequence[pb.SubmitResult]:
    with job_api.connect(address, who=_WHO) as client:
        return client.submit(text)
