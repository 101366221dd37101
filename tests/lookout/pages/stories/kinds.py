"""How jobs of the week fail, as ``failures.yaml`` has it, and each failure as an agent reports it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from agent.core.failure import Failure
from agent.core.identity.labels import JOB, RUN
from agent.core.summary.redaction import DEFAULT_RULES, Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.subject import read_subject
from tests.tables import table

NAMESPACES: Final[Mapping[str, str]] = {"gpu-east": "training", "cpu-west": "batch"}
GIBIBYTE: Final = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A way to fail; the fields are those of a row of ``failures.yaml``."""

    name: str
    cluster: str
    weight: int
    ran: timedelta
    runs: int | None = None
    only_on: Sequence[str] = ()
    exited: Mapping[str, Any]
    waiting: Mapping[str, Any]
    status: Mapping[str, Any]
    node: Mapping[str, Any]
    events: Sequence[Mapping[str, Any]]
    logs: Mapping[str, str]

    def failure(self, run: "FailedRun") -> Failure:
        """What the agent of the cluster reports, by the rules that ship. Raises ValueError if nothing failed."""
        found = _diagnoser().diagnose(read_subject(self._bundle(run)), now=run.ended)
        if found.failure is None:
            raise ValueError(f"{self.name} has not failed: {found.reason}")
        return found.failure

    def _bundle(self, run: "FailedRun") -> dict[str, Any]:
        events = [_event(event, run) for event in self.events]
        node = {"name": run.node, **_filled(self.node, run)}
        return {"pod": self._pod(run), "events": events, "node": node, "logs": dict(self.logs)}

    def _pod(self, run: "FailedRun") -> dict[str, Any]:
        names = dict.fromkeys(["main", *self.exited, *self.waiting])
        ends = {name: {"terminated": _times(run, ended)} for name, ended in self.exited.items()}
        waits = {name: {"waiting": waiting} for name, waiting in self.waiting.items()}
        memory = f"{run.memory // GIBIBYTE}Gi"
        resources = {"requests": {"memory": memory}, "limits": {"memory": memory}}
        return {
            "kind": "Pod",
            "metadata": {
                "name": run.pod,
                "namespace": NAMESPACES[self.cluster],
                "uid": run.uid,
                "labels": {JOB: run.job_id, RUN: run.run_id},
                # What else is in the pod was added by the platform.
                "annotations": {"failure-agent.dev/containers": "main"},
                "creationTimestamp": run.began.isoformat(),
            },
            "spec": {
                "nodeName": run.node,
                "restartPolicy": "Never",
                "containers": [{"name": name, "resources": resources} for name in names],
            },
            "status": {
                "phase": "Failed",
                "startTime": run.began.isoformat(),
                "containerStatuses": [_status(name, state) for name, state in {**ends, **waits}.items()],
                **self.status,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRun:
    """The run that fails. ``memory`` is what its main container has, in bytes."""

    job_id: str
    run_id: str
    pod: str
    uid: str
    node: str
    began: datetime
    ended: datetime
    memory: int


@cache
def kinds() -> Sequence[Kind]:
    """All ways to fail."""
    return [_kind(**row) for row in table(Path(__file__).with_name("failures.yaml"))]


def _kind(*, ran: int, **row: Any) -> Kind:
    parts: dict[str, Any] = {name: {} for name in ("exited", "waiting", "status", "node", "logs")}
    return Kind(ran=timedelta(minutes=ran), **{**parts, "events": (), **row})


@cache
def _diagnoser() -> Diagnoser:
    return Diagnoser(classifier=load_classifier(None), redactor=Redactor(DEFAULT_RULES))


def _status(name: str, state: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "state": state, "restartCount": 0, "ready": False}


def _times(run: FailedRun, ended: Mapping[str, Any]) -> dict[str, Any]:
    return {**ended, "startedAt": run.began.isoformat(), "finishedAt": run.ended.isoformat()}


def _event(event: Mapping[str, Any], run: FailedRun) -> dict[str, Any]:
    component = event["component"]
    at = run.ended.isoformat()
    of_pod = {"kind": "Pod", "name": run.pod, "uid": run.uid}
    filled = {name: str(text).replace("{node}", run.node) for name, text in event.items() if name != "component"}
    return {**filled, "source": {"component": component}, "involvedObject": of_pod, "count": 1, "lastTimestamp": at}


def _filled(node: Mapping[str, Any], run: FailedRun) -> dict[str, Any]:
    """The node as it was while the run failed."""
    conditions = [
        {**condition, "lastTransitionTime": run.ended.isoformat(), "lastHeartbeatTime": run.ended.isoformat()}
        for condition in node.get("conditions", ())
    ]
    return {**node, "conditions": conditions}
