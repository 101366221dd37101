"""The world around the loop: nodes that play the scripts of the jobs, and whoever preempts and deletes their pods.

All are in this process, which nobody kills. So the ledger of containers is complete, whatever the API server was told.
"""

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from types import TracebackType
from typing import Final, Self

from agent.core.identity import labels
from agent.simulator.ledger import LivedContainer
from agent.simulator.script import Exit, Stop
from tests.chaos.loop.jobs import Fault, Play, ScriptedJob
from tests.chaos.loop.policy import EXIT_CODE, UNKNOWN_EXIT_CODE
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.kubelet.behaviour import SUCCEEDS, Behaviour, Course
from tests.servers.kubelet.nodes import Nodes
from tests.simulator.api import STRATEGIC, Json

NUMBER: Final = "chaos.failure-agent.dev/number"
"""The annotation with the number of the scripted job."""

INIT: Final = "prepare"
"""The init container of jobs of which a run is stuck; there it never ends."""

_NODES: Final = ("n1", "n2")
_EXITS: Final = {
    Fault.CODE: Exit(exit_code=EXIT_CODE),
    Fault.MEMORY: Exit(exit_code=137, reason="OOMKilled"),
    Fault.NO_RULE: Exit(exit_code=UNKNOWN_EXIT_CODE),
    None: Exit(exit_code=0, reason="Completed"),
}
_PREEMPTED: Final = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "PreemptionByScheduler",
    "message": "default-scheduler: preempting to accommodate a higher priority pod",
}
_GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_LAST_PHASES: Final = ("Succeeded", "Failed")
_KEPT_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.2
_ASK_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """A pod that is to be preempted, ``due`` by the monotonic clock; ``number`` is that of its job."""

    path: str
    uid: str
    number: int
    due: float


class World:
    """Runs from entering ``with`` to leaving it. ``granted`` are the jobs of which what is asked was granted."""

    def __init__(
        self,
        plane: ControlPlane,
        namespace: str,
        jobs: Sequence[ScriptedJob],
        *,
        granted: Collection[int],
    ) -> None:
        self._jobs: Final[Mapping[int, ScriptedJob]] = {job.number: job for job in jobs}
        self._granted: Final = granted
        self._client: Final[Client] = plane.client()
        self._pods: Final = f"/api/v1/namespaces/{namespace}/pods"
        self._over: dict[str, float] = {}
        self._nodes: Final = Nodes(plane, _NODES, self._behaviour, namespace=namespace)
        self._doomed: list[Doomed] = []
        self._seen: set[int] = set()
        self._stop: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._run, name="preemption and deletion")
        self._broken: list[BaseException] = []

    def __enter__(self) -> Self:
        self._nodes.__enter__()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._nodes.__exit__(kind, error, trace)

    def check(self) -> None:
        """Raise what ended it."""
        if self._broken:
            raise self._broken[0]

    @property
    def containers(self) -> Sequence[LivedContainer]:
        """Every container that ever ran."""
        return self._nodes.ledger

    def alive(self) -> int:
        """How many containers run now."""
        return sum(each.ended_at is None for each in self.containers)

    def seen(self) -> Collection[int]:
        """The jobs of which a pod has come to a node."""
        return frozenset(self._seen)

    def _behaviour(self, pod: Json) -> Behaviour:
        meta = pod["metadata"]
        number = int(meta["annotations"][NUMBER])
        play = self._jobs[number].play(int(meta["labels"][labels.RUN_INDEX]))
        if play.fault is Fault.PREEMPTED:
            path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
            due = time.monotonic() + play.seconds
            self._doomed.append(Doomed(path=path, uid=meta["uid"], number=number, due=due))
        self._seen.add(number)
        return behaviour_of(play)

    def _run(self) -> None:
        try:
            while not self._stop.wait(_POLL_SECONDS):
                for doomed in list(self._doomed):
                    self._preempt_if_due(doomed)
                self._delete_old()
        except BaseException as error:  # noqa: BLE001 - raised again by check, in the main thread
            self._broken.append(error)

    def _preempt_if_due(self, doomed: Doomed) -> None:
        waits = self._jobs[doomed.number].waits_for_request and doomed.number not in self._granted
        if waits or time.monotonic() < doomed.due:
            return
        try:
            self._preempt(doomed)
        except (OSError, HTTPException):
            return  # the API server is down; tried again
        self._doomed.remove(doomed)

    def _preempt(self, doomed: Doomed) -> None:
        """Do what kube-scheduler does (pkg/scheduler/framework/preemption). Raises OSError, HTTPException."""
        status = {"metadata": {"uid": doomed.uid}, "status": {"conditions": [_PREEMPTED]}}
        self._ask("PATCH", f"{doomed.path}/status", status, content_type=STRATEGIC)
        self._ask("DELETE", doomed.path, {"preconditions": {"uid": doomed.uid}}, content_type="application/json")

    def _delete_old(self) -> None:
        """Delete the pods that ended some time ago and that nobody holds, as people do."""
        try:
            for meta in self._old():
                options = {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}}
                self._ask("DELETE", f"{self._pods}/{meta['name']}", options, content_type="application/json")
        except (OSError, HTTPException):
            return  # the API server is down; tried again

    def _old(self) -> list[Json]:
        """The metadata of those pods. Raises OSError, HTTPException."""
        now = time.monotonic()
        listed = self._client.ask("GET", self._pods, query={"resourceVersion": "0"}, seconds=_ASK_SECONDS)
        if listed.status != HTTPStatus.OK:
            return []
        over = [pod["metadata"] for pod in listed.json()["items"] if pod["status"].get("phase") in _LAST_PHASES]
        loose = [meta for meta in over if not meta.get("finalizers")]
        return [meta for meta in loose if now - self._over.setdefault(meta["uid"], now) > _KEPT_SECONDS]

    def _ask(self, method: str, path: str, body: Json, *, content_type: str) -> None:
        answer = self._client.ask(method, path, body=body, content_type=content_type, seconds=_ASK_SECONDS)
        if answer.status >= HTTPStatus.TOO_MANY_REQUESTS:
            raise ConnectionError(answer.status)
        if answer.status >= HTTPStatus.BAD_REQUEST and answer.status not in _GONE:
            raise AssertionError(f"{method} {path}: {answer.status} {answer.body.decode(errors='replace')}")


def behaviour_of(play: Play) -> Behaviour:
    """What the containers of a pod do that plays this."""
    stop = Stop(after=f"{round(play.stop_seconds * 1000)}ms")
    endless = Course(seconds=None, stop=stop)
    match play.fault:
        case Fault.STUCK:
            return Behaviour(containers={INIT: endless})
        case Fault.PREEMPTED:
            course = endless
        case fault:
            course = Course(seconds=play.seconds, exit=_EXITS[fault], stop=stop)
    return Behaviour(course=course, containers={INIT: SUCCEEDS})
