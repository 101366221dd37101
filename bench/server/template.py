"""Templates: pods, events and nodes written once as JSON, and filled in for each of a hundred thousand.

A pod is about 15 KB with managed fields, two app and two init containers, and Armada's identity.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Final

from bench.sample import pods

NODES: Final = 500
RESTARTED_EVERY: Final = 20
"""One pod in so many (5 %) had a container restart in place."""

EVENTS_EVERY: Final = 50
"""One pod in so many (2 %) has a full ring of events."""

EVENTS_EACH: Final = 20
_TIME: Final = "2026-01-02T03:04:05Z"
_KINDS: Final = ("pod", "run", "event", "node")


def uid_of(kind: str, index: int) -> bytes:
    """The uid of the object of this kind and number, as long as any other."""
    return b"%08x-0000-4000-8000-%012x" % (_KINDS.index(kind), index)


@dataclass(frozen=True, slots=True)
class Templates:
    """JSON with places for what differs."""

    started: bytes
    running: bytes
    restarted: bytes
    failed: bytes
    event: bytes
    node: bytes

    def pod(self, index: int, version: int, *, has_failed: bool = False) -> bytes:
        """The pod of this number in this version."""
        state = self.restarted if index % RESTARTED_EVERY == 0 else self.running
        return (self.failed if has_failed else state) % {
            b"index": b"%026d" % index,
            b"uid": uid_of("pod", index),
            b"run": uid_of("run", index),
            b"version": b"%d" % version,
            b"node": b"%d" % (index % NODES),
            b"queue": b"%d" % (index % 40),
            b"set": b"%d" % (index // 100),
            b"started": self.started,
        }

    def event_about(self, pod: int, number: int) -> bytes:
        """One event about a pod; every other one is a warning."""
        return self.event % {
            b"uid": uid_of("event", pod * EVENTS_EACH + number),
            b"number": b"%d" % number,
            b"type": b"Warning" if number % 2 else b"Normal",
            b"index": b"%026d" % pod,
            b"pod": uid_of("pod", pod),
        }

    def node_of(self, index: int) -> bytes:
        """The node of this number."""
        return self.node % {b"node": b"%d" % index, b"uid": uid_of("node", index)}


def templates(*, started: datetime) -> Templates:
    """All of them; the pods began when ``started`` says, so that none is past its deadline."""
    random = Random(1)
    return Templates(
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ").encode(),
        running=_text(_pod(random, _status(_running))),
        restarted=_text(_pod(random, _status(_restarted))),
        failed=_text(_pod(random, {**_status(_failed), "phase": "Failed"})),
        event=_text(_event()),
        node=_text(
            {**pods.node(), "metadata": {"name": "gpu-node-%(node)s", "uid": "%(uid)s", "resourceVersion": "1"}}
        ),
    )


def _pod(random: Random, status: dict[str, Any]) -> dict[str, Any]:
    metadata = pods.metadata(random, 0)
    labels = {
        "armada_job_id": "%(index)s",
        "armada_job_run_id": "%(run)s",
        "armada_queue_id": "queue-%(queue)s",
        "armada_job_run_index": "0",
    }
    own = {"name": "armada-%(index)s-0", "uid": "%(uid)s", "resourceVersion": "%(version)s", "labels": labels}
    annotations = {**metadata["annotations"], "armada_jobset_id": "sweep-%(set)s"}
    managed = [*metadata["managedFields"], *metadata["managedFields"][:2]]
    spec = pods.spec(app=("main", "helper"), init=("fetch", "prepare"))
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {**metadata, **own, "annotations": annotations, "managedFields": managed},
        "spec": {**spec, "nodeName": "gpu-node-%(node)s"},
        "status": status,
    }


def _status(main: dict[str, Any]) -> dict[str, Any]:
    ended = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": _TIME, "finishedAt": _TIME}}
    return {
        "phase": "Running",
        "qosClass": "Guaranteed",
        "startTime": "%(started)s",
        "hostIP": "10.0.0.7",
        "podIP": "10.1.2.3",
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": _TIME}
            for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "containerStatuses": [_container("main", main), _container("helper", _running)],
        "initContainerStatuses": [_container(name, {"state": ended}) for name in ("fetch", "prepare")],
    }


_running: Final[dict[str, Any]] = {"state": {"running": {"startedAt": _TIME}}}
_dead: Final[dict[str, Any]] = {
    "terminated": {
        "exitCode": 1,
        "reason": "Error",
        "message": "Traceback (most recent call last):\nRuntimeError: lost the connection to rank 3",
        "startedAt": _TIME,
        "finishedAt": _TIME,
        "containerID": "containerd://%(uid)s",
    }
}
_restarted: Final[dict[str, Any]] = {**_running, "lastState": _dead, "restartCount": 1}
_failed: Final[dict[str, Any]] = {"state": _dead}


def _container(name: str, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "lastState": {},
        "ready": True,
        "started": True,
        "restartCount": 0,
        "image": f"images.example/{name}:1.2.3",
        "imageID": f"images.example/{name}@sha256:{'0123456789abcdef' * 4}",
        "containerID": "containerd://%(uid)s",
        **state,
    }


def _event() -> dict[str, Any]:
    return {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {
            "name": "armada-%(index)s-0.%(number)s",
            "namespace": "jobs",
            "uid": "%(uid)s",
            "resourceVersion": "1",
            "creationTimestamp": _TIME,
        },
        "involvedObject": {
            "kind": "Pod",
            "apiVersion": "v1",
            "namespace": "jobs",
            "name": "armada-%(index)s-0",
            "uid": "%(pod)s",
            "fieldPath": "spec.containers{main}",
        },
        "type": "%(type)s",
        "reason": "Unhealthy",
        "message": "Readiness probe failed: attempt %(number)s: Get http://10.1.2.3:8080/ready: connection refused",
        "count": 1,
        "firstTimestamp": _TIME,
        "lastTimestamp": _TIME,
        "source": {"component": "kubelet", "host": "gpu-node-7"},
        "reportingComponent": "kubelet",
    }


def _text(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()
