"""Sample pods: lines of a watch as an API server sends them, about 15 KB each.

Failed pods with two app and two init containers, managed fields, mounts and tolerations; messages of 200 bytes to
4 KB. Everything is drawn from a seed.
"""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

WORDS = (
    "worker",
    "step",
    "loss",
    "gradient",
    "batch",
    "epoch",
    "tensor",
    "shard",
    "checkpoint",
    "loader",
    "device",
    "stream",
    "kernel",
    "module",
    "layer",
    "rank",
    "process",
    "thread",
    "queue",
    "buffer",
    "socket",
    "request",
    "response",
    "retry",
    "attempt",
    "failed",
    "unable",
)

FRAMES = ("/opt/app/train.py", "/usr/lib/python3.11/site-packages/torch/nn/module.py", "/opt/app/data/loader.py")


def watch_lines(number: int, *, hits: tuple[str, ...], seed: int) -> list[bytes]:
    """This many MODIFIED lines. One pod in seven has one of ``hits`` in its termination message."""
    random = Random(seed)
    return [_line(random, index, hits) for index in range(number)]


EVENTS_OF = "00000000-0000-0000-0000-00000000beef"
"""The uid of the pod that events are about."""


def events(number: int, *, seed: int) -> list[dict[str, Any]]:
    """Events about one pod, two of three of them warnings."""
    random = Random(seed)
    return [
        {
            "type": "Warning" if index % 3 else "Normal",
            "reason": random.choice(("BackOff", "Unhealthy", "Pulled", "FailedMount")),
            "message": _sentence(random, 14),
            "count": random.randint(1, 9),
            "firstTimestamp": _time(random),
            "lastTimestamp": _time(random),
            "source": {"component": "kubelet", "host": "gpu-node-7"},
            "metadata": {"name": f"event-{index}", "namespace": "jobs", "uid": f"event-{index}"},
            "involvedObject": {"kind": "Pod", "name": "pod", "namespace": "jobs", "uid": EVENTS_OF},
        }
        for index in range(number)
    ]


def node() -> dict[str, Any]:
    """A node with the kubelet's conditions and one taint."""
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    return {
        "metadata": {"name": "gpu-node-7"},
        "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
        "status": {
            "conditions": [
                {
                    "type": kind,
                    "status": "True" if kind == "Ready" else "False",
                    "reason": f"Kubelet{kind}",
                    "message": f"kubelet says {kind} of this node",
                    "lastHeartbeatTime": "2026-01-02T03:04:05Z",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
                for kind in kinds
            ]
        },
    }


def _line(random: Random, index: int, hits: tuple[str, ...]) -> bytes:
    message = _trace(random, random.choice((200, 500, 1000, 2000, 4000)))
    if index % 7 == 0:
        message += f"\nRuntimeError: {random.choice(hits)} 17"
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(random, index),
        "spec": spec(app=("main", "helper"), init=("fetch", "prepare")),
        "status": _status(random, message[:4096]),
    }
    return json.dumps({"type": "MODIFIED", "object": pod}, separators=(",", ":")).encode() + b"\n"


def metadata(random: Random, index: int) -> dict[str, Any]:
    """The metadata of a pod of Armada's, with managed fields."""
    return {
        "name": f"armada-{index:026d}-0",
        "namespace": "jobs",
        "uid": f"{random.getrandbits(128):032x}",
        "resourceVersion": str(random.randint(10**6, 10**7)),
        "creationTimestamp": _time(random),
        "labels": {
            "armada_job_id": f"{index:026d}",
            "armada_job_run_id": f"{random.getrandbits(128):032x}",
            "armada_queue_id": "physics",
        },
        "annotations": {"armada_jobset_id": "sweep-1", "failure-agent.dev/containers": "main,helper,fetch,prepare"},
        "managedFields": [_managed(manager) for manager in ("armada-executor", "kubelet", "webhook")],
    }


def _managed(manager: str) -> dict[str, Any]:
    owned: dict[str, Any] = {f"f:field-of-{manager}-{number}": {"f:value": {}, ".": {}} for number in range(36)}
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-01-02T03:04:05Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": owned}, "f:spec": {"f:containers": {}}},
    }


def spec(*, app: Sequence[str], init: Sequence[str]) -> dict[str, Any]:
    """The spec of a pod with these containers."""
    return {
        "nodeName": "gpu-node-7",
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 30,
        "activeDeadlineSeconds": 86400,
        "containers": [_container(name) for name in app],
        "initContainers": [_container(name) for name in init],
        "tolerations": [{"key": f"key-{n}", "operator": "Exists", "effect": "NoExecute"} for n in range(4)],
        "volumes": [{"name": f"volume-{n}", "configMap": {"name": f"config-{n}"}} for n in range(4)],
    }


def _container(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "image": f"images.example/{name}:1.2.3",
        "command": ["python", "-m", name],
        "env": [{"name": f"SETTING_{n}", "value": f"value-{n}"} for n in range(10)],
        "resources": {"limits": {"cpu": "4", "memory": "16Gi"}, "requests": {"cpu": "4", "memory": "16Gi"}},
        "volumeMounts": [{"name": f"volume-{n}", "mountPath": f"/mnt/{n}"} for n in range(4)],
        "imagePullPolicy": "IfNotPresent",
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _status(random: Random, message: str) -> dict[str, Any]:
    code = random.choice((1, 1, 1, 2, 134, 137, 139, 143))
    return {
        "phase": "Failed",
        "qosClass": "Guaranteed",
        "startTime": _time(random),
        "hostIP": "10.0.0.7",
        "podIP": "10.1.2.3",
        "conditions": [
            {"type": kind, "status": "False", "reason": "PodFailed", "lastTransitionTime": _time(random)}
            for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "containerStatuses": [
            _ended(random, "main", code, message),
            _ended(random, "helper", 0, ""),
        ],
        "initContainerStatuses": [_ended(random, "fetch", 0, ""), _ended(random, "prepare", 0, "")],
    }


def _ended(random: Random, name: str, code: int, message: str) -> dict[str, Any]:
    ended = {
        "exitCode": code,
        "reason": "Error" if code else "Completed",
        "startedAt": _time(random),
        "finishedAt": _time(random),
        "containerID": f"containerd://{random.getrandbits(256):064x}",
    }
    return {
        "name": name,
        "state": {"terminated": ended | ({"message": message} if message else {})},
        "lastState": {},
        "ready": False,
        "started": False,
        "restartCount": 0,
        "image": f"images.example/{name}:1.2.3",
        "imageID": f"images.example/{name}@sha256:{random.getrandbits(256):064x}",
        "containerID": f"containerd://{random.getrandbits(256):064x}",
    }


def _trace(random: Random, size: int) -> str:
    lines = ["Traceback (most recent call last):"]
    while sum(map(len, lines)) < size:
        lines.append(f'  File "{random.choice(FRAMES)}", line {random.randint(1, 900)}, in {random.choice(WORDS)}')
        lines.append(f"    {_sentence(random, 8)}")
    lines.append(f"ValueError: {_sentence(random, 10)}")
    return "\n".join(lines)


def _sentence(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _time(random: Random) -> str:
    return f"2026-01-02T{random.randint(0, 23):02d}:{random.randint(0, 59):02d}:{random.randint(0, 59):02d}Z"
