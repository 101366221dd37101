"""How the agent of one executor cluster is configured."""

from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent.core.identity.rules import PresetName
from agent.core.summary.bounds import LOG_TAIL_BYTES
from agent.settings.admission import AdmissionSettings
from agent.settings.base import (
    Bytes,
    Conflict,
    Duration,
    HealthSettings,
    LogSettings,
    PositiveDuration,
    Settings,
)
from agent.settings.broker import BrokerSettings
from agent.settings.deadlines import DeadlineSettings
from agent.settings.effect import RootSettings, after_restart, at_once
from agent.settings.identity import IdentitySettings
from agent.settings.kube import KubeSettings
from agent.settings.modes import DeploymentMode, LeaseSettings, NodeModeSettings, OneNode, one_node
from agent.settings.names import ClusterName, ContainerPattern, NamespaceName, SubscriptionName
from agent.settings.pod_checks import FailedPodCheckSettings, PendingPodCheckSettings
from agent.settings.run import RunSettings


class WatchSettings(Settings):
    """Which pods are watched."""

    namespaces: tuple[NamespaceName, ...] = Field(default=(), description="Namespaces to watch. Empty: all.")
    label_selector: str = Field(
        default="", description="Watch only pods with these labels, written as for kubectl -l. Empty: all pods."
    )
    normal_events: bool = Field(
        default=True,
        description="Whether Normal events about pods are watched, not only Warning. Rules and checks of Normal events "
        "need it.",
    )

    @property
    def event_types(self) -> frozenset[str]:
        """The types of events about pods that are watched."""
        return frozenset({"Warning", "Normal"} if self.normal_events else {"Warning"})


class SpoolSettings(Settings):
    """Where events are kept until the broker has them."""

    path: Path = Field(
        description="The spool's SQLite file. Put it on a disk that outlives the process. It belongs to one cluster."
    )
    keep_acknowledged: Annotated[int, Field(ge=0)] = Field(
        default=10_000, description="How many events that the broker has acknowledged stay in the file for inspection."
    )
    max_bytes: Annotated[Bytes, Field(ge=1 << 20)] = Field(
        default=10 << 30,
        description="Size of the file at which the spool refuses more. Until there is room, pods keep our finalizer "
        "and the agent remembers others by uid.",
    )
    max_events: Annotated[int, Field(ge=1)] = Field(
        default=1_000_000,
        description="Events not yet acknowledged by the broker at which the spool refuses more. What happens then: as "
        "with spool.maxBytes.",
    )
    commit_at_most: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=500, description="How many reports one commit to the disk may hold."
    )


class Release(StrEnum):
    """When a pod is released: once the broker has acknowledged its failure, or once the spool holds it."""

    PUBLISHED = "published"
    SPOOLED = "spooled"


class ContainerSettings(Settings):
    """Which containers are whose, where the pod itself does not say."""

    injected: tuple[ContainerPattern, ...] = Field(
        default=(), description="Names of containers that are added after submission, such as istio-*: not the user's."
    )


class LogTailSettings(Settings):
    """Whose logs are read when a pod fails. Off until namespaces are named."""

    namespaces: tuple[NamespaceName, ...] = Field(
        default=(), description="Namespaces whose logs the agent may read. Empty: it reads none."
    )
    lines: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=50, description="Lines kept from the end of a container's log, within logTails.maxBytes."
    )
    max_bytes: Annotated[Bytes, Field(ge=1, le=LOG_TAIL_BYTES)] = Field(
        default=LOG_TAIL_BYTES,
        description="Bytes kept from the end of a container's log. Rules search the same bytes. A failure that would "
        "be larger than 64 KiB keeps fewer.",
    )
    deadline: PositiveDuration = Field(
        default=timedelta(seconds=2),
        description="How long reading all logs of one pod may take, the wait for its turn included. A log that is not "
        "read in time is missing evidence.",
    )
    at_once: Annotated[int, Field(ge=1, le=100)] = Field(
        default=8, description="How many pods have their logs read at the same time."
    )


class RedactionRule(Settings):
    """One more thing to redact."""

    name: Annotated[str, Field(min_length=1)] = Field(description="The rule's name in messages.")
    pattern: Annotated[str, Field(min_length=1)] = Field(description="RE2 expression. What it matches is replaced.")
    replacement: str = Field(default="[redacted]", description=r"The replacement. \1 is the first group of the match.")


class RedactionSettings(Settings):
    """What must not leave the cluster, beyond what is always redacted."""

    rules: tuple[RedactionRule, ...] = Field(default=(), description="Applied after the built-in rules.")


class BoundSettings(Settings):
    """Bounds on what is held in memory."""

    unspooled: Annotated[int, Field(ge=1)] = Field(
        default=2_000,
        description="Reports that may wait for the spool's disk. While it is reached nothing more is read from the API "
        "server; if the disk refuses, the agent remembers pods by uid instead.",
    )
    waiting: Annotated[int, Field(ge=0)] = Field(
        default=5_000, description="Failures that may wait for late events at one time. One more is reported at once."
    )
    amendable: Annotated[int, Field(ge=0)] = Field(
        default=2_000,
        description="Reported failures that late evidence may still amend, each for 30 s. The oldest are dropped "
        "first.",
    )
    things: Annotated[int, Field(ge=1)] = Field(
        default=50_000, description="Pods and nodes whose events are remembered. The longest silent are dropped first."
    )
    event_age: PositiveDuration = Field(
        default=timedelta(hours=1),
        description="How long events are remembered, and the last state of nodes, Jobs and JobSets that are gone.",
    )


class HeartbeatSettings(Settings):
    """How often the leader sends a heartbeat."""

    interval: PositiveDuration = Field(default=timedelta(seconds=5), description="Time between two heartbeats.")


class ClusterSettings(RootSettings):
    """Settings of ``failure-agent cluster``."""

    cluster: Annotated[ClusterName, after_restart("cluster/app.py")] = Field(
        description="The name people know this cluster by. Its events go to the topic run-events-NAME. It must not end "
        "in -dlq or -replay. A spool belongs to the name it was made for: with another name give spool.path a new file."
    )
    kube: Annotated[KubeSettings, after_restart("kube/connection.py", "kube/credentials.py")] = Field(
        default=KubeSettings(), description="How the API server is reached."
    )
    watch: Annotated[WatchSettings, after_restart("cluster/watch/informers.py")] = Field(
        default=WatchSettings(), description="Which pods are watched."
    )
    mode: Annotated[DeploymentMode, after_restart("cluster/wiring/pipeline.py")] = Field(
        default=DeploymentMode.DEPLOYMENT,
        description="deployment: one process watches the cluster, with standbys if lease is set. daemonset: one "
        "process on each node.",
    )
    lease: Annotated[LeaseSettings | None, after_restart("cluster/app.py")] = Field(
        default=None,
        description="How processes elect a leader. null: there is only one process. Mode daemonset needs it.",
    )
    node: Annotated[NodeModeSettings, after_restart("cluster/wiring/modes.py", "cluster/wiring/pipeline.py")] = Field(
        default=NodeModeSettings(), description="Settings of mode daemonset."
    )
    categories: Annotated[Path | None, at_once("cluster/config/rules.py")] = Field(
        default=None, description="The file of error categories. null: the rules that ship with failure-agent."
    )
    broker: Annotated[BrokerSettings, after_restart("broker/connect.py", "broker/pulsar")] = Field(
        description="The broker that events are sent to."
    )
    subscriptions: Annotated[tuple[SubscriptionName, ...], after_restart("cluster/app.py")] = Field(
        default=("scheduler",),
        description="Subscriptions that read this cluster's events. The agent creates them before it publishes, so "
        "that each of them gets every event.",
    )
    spool: Annotated[SpoolSettings, after_restart("cluster/app.py", "cluster/wiring/pipeline.py")] = Field(
        description="Where events are kept until the broker has them."
    )
    release: Annotated[Release, after_restart("cluster/publish/publisher.py", "cluster/wiring/commands.py")] = Field(
        default=Release.PUBLISHED,
        description="When our finalizer comes off a pod. published: when the broker has acknowledged its failure. "
        "spooled: when the spool holds it; use it only where the spool's disk outlives the pod's node.",
    )
    evidence_wait: Annotated[Duration, after_restart("cluster/wiring/pipeline.py")] = Field(
        default=timedelta(seconds=2),
        description="Mode deployment: how long a failure waits for late events if no rule matches, or only a weak one, "
        "such as a rule on an exit code.",
    )
    identity: Annotated[IdentitySettings, after_restart("settings/identity.py", "cluster/wiring/pipeline.py")] = Field(
        default=IdentitySettings(), description="Where pods say which job and run they belong to."
    )
    deadlines: Annotated[DeadlineSettings, at_once("cluster/config/checks.py")] = Field(
        default=DeadlineSettings(),
        description="How long a pod may have a problem before its run is stopped. The time counts from when the agent "
        "first saw the problem.",
    )
    pending_pod_checks: Annotated[PendingPodCheckSettings, after_restart("cluster/config/checks.py")] = Field(
        default=PendingPodCheckSettings(), description="Armada's checks of pods that do not start."
    )
    failed_pod_checks: Annotated[FailedPodCheckSettings, after_restart("cluster/config/checks.py")] = Field(
        default=FailedPodCheckSettings(), description="Armada's checks of failed pods that may be retried."
    )
    stuck_terminating_pod_expiry: Annotated[Duration, after_restart("cluster/wiring/pipeline.py")] = Field(
        default=timedelta(minutes=3),
        description="How long a failed pod that the agent deletes may stay before its failure is reported as "
        "internal/stuck-terminating.",
    )
    run: Annotated[RunSettings, after_restart("cluster/wiring/commands.py", "cluster/wiring/pipeline.py")] = Field(
        default=RunSettings(), description="Which pods the agent may create and delete."
    )
    containers: Annotated[ContainerSettings, after_restart("cluster/evidence/gather.py")] = Field(
        default=ContainerSettings(), description="Which containers are not the user's."
    )
    log_tails: Annotated[LogTailSettings, after_restart("cluster/wiring/pipeline.py")] = Field(
        default=LogTailSettings(), description="Which logs the agent reads."
    )
    redaction: Annotated[RedactionSettings, at_once("cluster/config/rules.py")] = Field(
        default=RedactionSettings(), description="What must not leave the cluster."
    )
    bounds: Annotated[BoundSettings, after_restart("cluster/wiring/pipeline.py")] = Field(
        default=BoundSettings(), description="Bounds on what is held in memory."
    )
    admission: Annotated[AdmissionSettings | None, after_restart("cluster/admission")] = Field(
        default=None,
        description="The webhook that gives failed pods of Jobs a condition, which podFailurePolicy can name. null: "
        "there is none.",
    )
    heartbeat: Annotated[HeartbeatSettings, after_restart("cluster/app.py")] = Field(
        default=HeartbeatSettings(), description="Heartbeats of the leader."
    )
    rights_review: Annotated[PositiveDuration, after_restart("cluster/app.py")] = Field(
        default=timedelta(minutes=1), description="How often the agent checks that it has every permission it needs."
    )
    reload: Annotated[PositiveDuration, after_restart("process/reloader.py")] = Field(
        default=timedelta(seconds=2),
        description="How often the settings and the categories file are checked for changes.",
    )
    shutdown: Annotated[PositiveDuration, after_restart("cluster/app.py")] = Field(
        default=timedelta(seconds=20),
        description="How long stopping may take to spool and publish what is in memory. The next process does the "
        "rest.",
    )
    log: Annotated[LogSettings, at_once("process/log.py")] = Field(default=LogSettings(), description="What is logged.")
    health: Annotated[HealthSettings, after_restart("cluster/app.py")] = Field(
        default=HealthSettings(), description="Where /healthz, /readyz and /metrics are served."
    )

    @model_validator(mode="after")
    def _mode_has_what_it_needs(self) -> Self:
        self.one_node()
        return self

    def one_node(self) -> OneNode | None:
        """The node that is watched in mode daemonset; ``None`` in mode deployment."""
        return one_node(self.mode, self.lease, self.node)

    @model_validator(mode="after")
    def _runs_are_seen(self) -> Self:
        if self.run.max_runs is not None and (missing := self._missing_for_runs()) is not None:
            need, name = missing
            raise Conflict(f"run.maxRuns needs {need}", "run.maxRuns", name)
        return self

    def _missing_for_runs(self) -> tuple[str, str] | None:
        """What the pods of submitted jobs need to be created, and to be seen by the process that created them."""
        watched = self.watch.namespaces
        unseen = [name for name in self.run.namespaces if watched and name not in watched]
        needs = (
            (bool(self.run.namespaces), "run.namespaces: where pods may be created", "run.namespaces"),
            (not self.watch.label_selector, "all pods to be watched; leave watch.labelSelector out", "watch"),
            (not unseen, f"its namespaces to be watched; add {', '.join(unseen)} to watch.namespaces", "watch"),
            (
                PresetName.FAILURE_AGENT in self.identity.presets,
                "the preset of its pods; add failure-agent to identity.presets",
                "identity.presets",
            ),
        )
        return next(((need, name) for met, need, name in needs if not met), None)

    @model_validator(mode="after")
    def _checks_see_their_events(self) -> Self:
        checks = (
            *((f"pendingPodChecks.events[{n}]", check.type) for n, check in enumerate(self.pending_pod_checks.events)),
            *((f"failedPodChecks.events[{n}]", check.type) for n, check in enumerate(self.failed_pod_checks.events)),
        )
        unseen = [name for name, wanted in checks if wanted.value not in self.watch.event_types]
        if unseen:
            message = f"{', '.join(unseen)}: Normal events are not watched; set watch.normalEvents to true"
            raise Conflict(message, "watch.normalEvents", "pendingPodChecks", "failedPodChecks")
        return self
