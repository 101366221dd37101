"""The ledger of containers: which ran when, of which pod, job and run. It stays when pods are gone from the server.

A pod that is deleted by force is gone at once, while its containers live on for a while. Only the ledger knows that.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final

import msgspec
from msgspec import Struct

from agent.simulator.gates import GATE, gates_of
from agent.simulator.kinds import PODS, Json, Kind
from agent.simulator.record import job_id, run_id
from agent.simulator.store import Store, StoredChange
from agent.simulator.times import Now

_STATUSES: Final = ("initContainerStatuses", "containerStatuses")


class LivedPod(Struct, frozen=True, kw_only=True):
    """A pod as it was created. ``gated``: it had the agent's gate then."""

    pod_uid: str
    namespace: str
    pod: str
    job_id: str
    run_id: str
    gated: bool


class LivedContainer(LivedPod, frozen=True, kw_only=True):
    """A container that ran, by the server's clock. ``ended_at`` is ``None`` while it runs; a restart is another one."""

    container: str
    container_id: str
    started_at: datetime
    ended_at: datetime | None = None

    def lives_with(self, later: "LivedContainer") -> bool:
        """Whether it still ran when a later one started."""
        return self.ended_at is None or later.started_at < self.ended_at


class Overlap(Struct, frozen=True, kw_only=True):
    """Two pods of one job had live containers at the same time, from ``since`` on."""

    job_id: str
    pod_uids: tuple[str, str]
    since: datetime


class Ledger:
    """Follows the statuses of pods, which only their kubelets write."""

    def __init__(self, store: Store, *, now: Now) -> None:
        self._now = now
        self._pods: dict[str, LivedPod] = {}
        self._live: dict[str, dict[str, LivedContainer]] = {}
        self._ended: list[LivedContainer] = []
        store.listeners.append(self._notice)

    @property
    def containers(self) -> Sequence[LivedContainer]:
        """All containers since the start, those that ended first."""
        return [*self._ended, *(container for live in self._live.values() for container in live.values())]

    def lives(self, uid: str) -> bool:
        """Whether a container of this pod runs."""
        return bool(self._live.get(uid))

    def end(self, uid: str) -> None:
        """The pod is gone, and no container of it runs any longer."""
        self._end(self._live.pop(uid, {}).values())
        self._pods.pop(uid, None)

    def report(self) -> Json:
        """The answer of ``/simulator/containers``."""
        containers = self.containers
        return {"containers": msgspec.to_builtins(containers), "overlaps": msgspec.to_builtins(overlaps(containers))}

    def _notice(self, kind: Kind, change: StoredChange) -> None:
        if kind is not PODS or change.type == "DELETED":
            return
        uid = change.object["metadata"]["uid"]
        if change.previous is None:
            self._pods[uid] = _pod(change.object)
        running, live = _running(change.object), self._live.get(uid, {})
        if running.keys() == live.keys():
            return
        self._end(container for identity, container in live.items() if identity not in running)
        self._live[uid] = {
            identity: live.get(identity) or self._started(uid, name, identity) for identity, name in running.items()
        }

    def _started(self, uid: str, name: str, identity: str) -> LivedContainer:
        pod = msgspec.structs.asdict(self._pods[uid])
        return LivedContainer(**pod, container=name, container_id=identity, started_at=self._now())

    def _end(self, ended: Iterable[LivedContainer]) -> None:
        at = self._now()
        self._ended.extend(msgspec.structs.replace(container, ended_at=at) for container in ended)


def overlaps(containers: Iterable[LivedContainer]) -> list[Overlap]:
    """Where two pods of one job ran at once, both of which were created with the agent's gate: at most once a pair."""
    counted = (container for container in containers if container.gated and container.job_id)
    in_order = sorted(counted, key=lambda container: (container.job_id, container.started_at))
    return [
        found for _, of_job in groupby(in_order, key=lambda container: container.job_id) for found in _of_job([*of_job])
    ]


def _of_job(containers: Sequence[LivedContainer]) -> Iterable[Overlap]:
    found: dict[frozenset[str], Overlap] = {}
    for index, later in enumerate(containers):
        for earlier in containers[:index]:
            pair = frozenset((earlier.pod_uid, later.pod_uid))
            if len(pair) > 1 and pair not in found and earlier.lives_with(later):
                uids = (earlier.pod_uid, later.pod_uid)
                found[pair] = Overlap(job_id=later.job_id, pod_uids=uids, since=later.started_at)
    return found.values()


def _pod(pod: Json) -> LivedPod:
    meta = pod["metadata"]
    return LivedPod(
        pod_uid=meta["uid"],
        namespace=meta["namespace"],
        pod=meta["name"],
        job_id=job_id(pod),
        run_id=run_id(pod),
        gated=GATE in gates_of(pod),
    )


def _running(pod: Json) -> Mapping[str, str]:
    """The names of the running containers by their ids; clients that play the kubelet may leave an id out."""
    statuses = [status for field in _STATUSES for status in pod["status"].get(field) or ()]
    return {
        status.get("containerID") or f"{status['name']}:{status.get('restartCount', 0)}": status["name"]
        for status in statuses
        if (status.get("state") or {}).get("running") is not None
    }
