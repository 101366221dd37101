"""Writes events about pods and nodes, and expires them, as the API server does after an hour."""

import uuid
from collections import deque
from datetime import datetime, timedelta

from agent.simulator.kinds import EVENTS, Json
from agent.simulator.registry import Registry
from agent.simulator.script import EventText
from agent.simulator.store import Key
from agent.simulator.times import Now, stamp


class EventSource:
    """Writes events; :meth:`expire` removes those older than ``keep``, by the server's clock ``now``."""

    def __init__(self, registry: Registry, *, keep: timedelta, now: Now) -> None:
        self._registry = registry
        self._keep = keep
        self._now = now
        self._written: deque[tuple[datetime, Key]] = deque()

    def about(self, thing: Json, event: EventText, message: str, *, host: str, now: datetime) -> None:
        """Write one event about a pod or a node. The uid in a node's events is its name, as the kubelet writes it."""
        meta = thing["metadata"]
        namespace = meta.get("namespace") or "default"
        reference = {"kind": thing["kind"], "apiVersion": "v1", "name": meta["name"]}
        reference["uid"] = meta["uid"] if thing["kind"] == "Pod" else meta["name"]
        if thing["kind"] == "Pod":
            reference["namespace"] = namespace
        at = stamp(now)
        body = {
            "metadata": {"name": f"{meta['name']}.{uuid.uuid4().hex[:16]}"},
            "involvedObject": reference,
            "type": event.type,
            "reason": event.reason,
            "message": message,
            "count": 1,
            "firstTimestamp": at,
            "lastTimestamp": at,
            "eventTime": None,
            "source": {"component": event.component, **({"host": host} if event.component == "kubelet" else {})},
            "reportingComponent": event.component,
            "reportingInstance": host if event.component == "kubelet" else "",
        }
        written = self._registry.create(EVENTS, body, namespace=namespace)
        self._written.append((self._now(), (namespace, written["metadata"]["name"])))

    def expire(self) -> None:
        now = self._now()
        while self._written and self._written[0][0] < now - self._keep:
            _, key = self._written.popleft()
            if self._registry.store.get(EVENTS, key) is not None:
                self._registry.delete(EVENTS, key, {})
