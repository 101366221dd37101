"""Pods of Jobs as large as real ones, and how they fail: what the shipped rules prove, and what they do not."""

from random import Random
from typing import Any, Final

from bench.sample.pods import spec

Json = dict[str, Any]

_INFRASTRUCTURE: Final = "failure-agent.dev/Infrastructure"
_HOPELESS: Final = "failure-agent.dev/Hopeless"
_APP: Final = ("main", "helper")
_INIT: Final = ("fetch", "prepare")


def _container(name: str, code: int, reason: str, message: str = "") -> Json:
    ended = {"exitCode": code, "reason": reason} | ({"message": message} if message else {})
    shown = {"image": "example", "imageID": "example", "ready": False, "restartCount": 0}
    return {"name": name, "state": {"terminated": ended}, **shown}


def _ended(code: int, reason: str, message: str) -> Json:
    """The status after ``main`` ended so, and all others well."""
    return {
        "phase": "Failed",
        "initContainerStatuses": [_container(name, 0, "Completed") for name in _INIT],
        "containerStatuses": [_container("main", code, reason, message), _container("helper", 0, "Completed")],
    }


_TRACE: Final = "Traceback (most recent call last):\n" + '  File "/app/train.py", line 3, in run\n    step()\n' * 20

ENDS: Final[tuple[tuple[Json, str | None], ...]] = (
    (
        {
            "phase": "Failed",
            "reason": "UnexpectedAdmissionError",
            "message": "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate "
            "unhealthy devices nvidia.com/gpu, which is unexpected",
        },
        _INFRASTRUCTURE,
    ),
    (
        _ended(
            128,
            "StartError",
            "failed to create containerd task: failed to create shim task: mkdir "
            "/run/containerd/io.containerd.runtime.v2.task/k8s.io/4711: read-only file system: unknown",
        ),
        _INFRASTRUCTURE,
    ),
    (_ended(1, "Error", f"{_TRACE}NameError: name 'loss' is not defined"), _HOPELESS),
    (_ended(1, "Error", f"{_TRACE}ValueError: cannot reshape array of size 12 into shape (5,5)"), None),
)
"""A status, and the condition that the rules have proof for."""


def job_pod(name: str, index: int, *, random: Random) -> Json:
    """The pod of an index of a Job of its own."""
    uid = f"{random.getrandbits(32):08x}-0000-4000-8000-{random.getrandbits(48):012x}"
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}
    labels = {"batch.kubernetes.io/job-name": name, "batch.kubernetes.io/controller-uid": uid}
    annotations = {"batch.kubernetes.io/job-completion-index": str(index)}
    metadata = {"name": name, "labels": labels, "annotations": annotations, "ownerReferences": [owner]}
    return {"metadata": metadata, "spec": spec(app=_APP, init=_INIT)}
