"""Pods to observe, written as the API server would send them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from agent.kube import objects

NOW = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    """So many seconds before NOW."""
    return NOW - timedelta(seconds=seconds)


def pod(status: dict[str, Any] | None = None, *, uid: str = "u1", **fields: Any) -> objects.Pod:
    """A pod of one container on a node; ``fields`` are ``metadata`` and ``spec``, added to what is there."""
    metadata = {"name": "pod", "namespace": "jobs", "uid": uid, "resourceVersion": "1"} | fields.get("metadata", {})
    spec = {"nodeName": "n1", "containers": [{"name": "main", "image": "app:1"}]} | fields.get("spec", {})
    return msgspec.convert({"metadata": metadata, "spec": spec, "status": status or {}}, objects.Pod)


def terminated(code: int = 1, **fields: Any) -> dict[str, Any]:
    """The state of a container that ended a second ago."""
    return {"terminated": {"exitCode": code, "reason": "Error", "startedAt": ago(9), "finishedAt": ago(1)} | fields}


def waiting(reason: str) -> dict[str, Any]:
    """The state of a container that waits."""
    return {"waiting": {"reason": reason, "message": f"{reason} it is"}}


def status(phase: str, *main: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A pod's status with the states of app containers ``main``, ``c1``, ..."""
    names = ["main", *(f"c{number}" for number in range(1, len(main)))]
    statuses = [{"name": name, "state": state} for name, state in zip(names, main, strict=False)]
    return {"phase": phase, "startTime": ago(60), "containerStatuses": statuses} | fields
