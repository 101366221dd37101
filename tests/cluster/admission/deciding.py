"""A decider over memory that tests fill, and the requests that it is asked."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from agent.cluster.admission.answers import Caps, ConditionAnswers
from agent.cluster.admission.job_pods import JobPods
from agent.cluster.admission.review import Review
from agent.cluster.config.rules import RulesInForce
from agent.cluster.evidence.events import EventCache
from agent.cluster.evidence.gather import EvidenceGatherer
from agent.cluster.evidence.nodes import Nodes
from agent.core.admission.brake import BrakeLimits
from agent.core.admission.conditions import PodCondition
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind

Json = dict[str, Any]
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
AGE: Final = timedelta(hours=1)
CAPS: Final = Caps(per_index=3, brake=BrakeLimits(at_most=1_000, window=600.0, pause=1_800.0))


def pod(uid: str = "u1", *, job: str = "j1", index: int | None = 0, status: Json | None = None, **more: Any) -> Json:
    annotations = {} if index is None else {"batch.kubernetes.io/job-completion-index": str(index)}
    owners = [{"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": job, "controller": True}]
    metadata = {"name": uid, "namespace": "ml", "uid": uid, "annotations": annotations, "ownerReferences": owners}
    spec = {"nodeName": "n1", "containers": [{"name": "main"}]}
    return {"metadata": {**metadata, **more}, "spec": spec, "status": status or {"phase": "Running"}}


def read(written: Json) -> objects.Pod:
    return msgspec.convert(written, objects.Pod, strict=False)


def failing(written: Json, *, old: Json | None = None, dry_run: bool = False) -> Review:
    """The write by which a pod fails."""
    new = {**written, "status": {**written["status"], "phase": "Failed"}}
    before = {**written, "status": old or {"phase": "Running"}}
    return Review(uid="r1", dry_run=dry_run, namespace="ml", of_status=True, old=read(before), new=read(new))


def carrying(written: Json, conditions: Collection[PodCondition]) -> Json:
    """The failed pod with these conditions, as the watch shows it."""
    said = [{"type": condition.type, "status": "True", "reason": condition.reason} for condition in conditions]
    return {**written, "status": {**written["status"], "phase": "Failed", "conditions": said}}


@dataclass(kw_only=True)
class Memory:
    """The decider, and what fills its memory; ``time`` is that of its monotonic clock."""

    rules: RulesInForce
    caps: Caps = CAPS
    logs: Collection[str] = ("ml",)
    shadow: bool = False
    synced: bool = True
    time: float = 0.0
    gatherer: EvidenceGatherer = field(
        default_factory=lambda: EvidenceGatherer(
            events=EventCache(things=100, age=AGE), nodes=Nodes(age=AGE), injected=()
        )
    )

    def __post_init__(self) -> None:
        self.answers = ConditionAnswers(
            self.rules,
            self.gatherer,
            JobPods(age=AGE.total_seconds(), at_most=1_000),
            caps=self.caps,
            logs=self.logs,
            synced=lambda: self.synced,
            clock=lambda: NOW,
            monotonic=lambda: self.time,
            shadow=self.shadow,
        )

    def watch(self, written: Json, *, deleted: bool = False) -> None:
        """The watch shows a pod."""
        kind = ChangeKind.DELETED if deleted else ChangeKind.MODIFIED
        uid = written["metadata"]["uid"]
        self.answers.on_pod(Change(kind=kind, uid=uid, object=read(written), previous=None))
