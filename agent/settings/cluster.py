"""How the agent of one executor cluster is configured."""

from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from agent.settings.base import Duration, HealthSettings, LogSettings, PositiveDuration, Settings
from agent.settings.broker import BrokerSettings
from agent.settings.identity import IdentitySettings
from agent.settings.kube import KubeSettings
from agent.settings.modes import DeploymentMode, LeaseSettings, NodeModeSettings, OneNode, one_node
from agent.settings.pod_checks import FailedPodCheckSettings, PendingPodCheckSettings


def _not_reserved(name: str) -> str:
    if name.endswith(("-dlq", "-replay")):
        raise ValueError("must not end in -dlq or -replay, because names of dead-letter topics do")
    return name


ClusterName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$"), AfterValidator(_not_reserved)]
"""A name people know a cluster by; part of a topic's name."""

NamespaceName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]
"""A namespace's name."""

ContainerPattern = Annotated[str, Field(pattern=r"^[-a-z0-9*?\[\]!]{1,63}$")]
"""A shell pattern of container names."""

SubscriptionName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]
"""The name of a subscription; part of the name of its dead-letter topic."""

LabelKey = Annotated[str, Field(pattern=r"^([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$")]
"""The key of a label."""


class WatchSettings(Settings):
    """Which pods are watched."""

    namespaces: tuple[NamespaceName, ...] = Field(default=(), description="Namespaces to watch; none named means all.")
    label_selector: str = Field(default="", description="Only pods with these labels, as kubectl -l takes them.")
    normal_events: bool = Field(
        default=True,
        description="Whether Normal events about pods are watched too, not only Warning; rules on them need it.",
    )

    @property
    def event_types(self) -> frozenset[str]:
        """The types of events about pods that are watched."""
        return frozenset({"Warning", "Normal"} if self.normal_events else {"Warning"})


class SpoolSettings(Settings):
    """Where events are kept until the broker has them."""

    path: Path = Field(description="The spool's SQLite file, on a disk that outlives the process.")
    keep_acknowledged: Annotated[int, Field(ge=0)] = Field(
        default=10_000, description="How many acknowledged events are kept for inspection."
    )
    max_bytes: Annotated[int, Field(ge=1 << 20)] = Field(
        default=10 << 30,
        description="Size at which the spool takes no more: pods with our finalizer keep it, others are held by uid.",
    )
    max_events: Annotated[int, Field(ge=1)] = Field(
        default=1_000_000,
        description="Failures and other events the broker does not have at which the spool takes no more.",
    )
    commit_at_most: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=500, description="How many failures one commit may hold."
    )


class Release(StrEnum):
    """When a pod is released: once the broker has acknowledged its failure, or once the spool holds it."""

    PUBLISHED = "published"
    SPOOLED = "spooled"


class DeadlineSettings(Settings):
    """How long a pod may be in trouble before its run is stopped, from when the trouble was first seen."""

    unschedulable: PositiveDuration | None = Field(
        default=timedelta(minutes=15),
        description="No node is found for a pod that is not gated; null means it may wait for ever.",
    )
    preparing: PositiveDuration | None = Field(
        default=timedelta(minutes=30),
        description="A pod has a node and nothing of it has begun (volumes, sandbox, a long pull, a silent kubelet); "
        "null means for ever.",
    )
    image: Duration = Field(default=timedelta(minutes=5), description="An image cannot be pulled.")
    config: Duration = Field(default=timedelta(minutes=2), description="A config map, secret or field is not there.")
    create: Duration = Field(default=timedelta(minutes=2), description="The runtime cannot make a container.")
    init_crash_loop: Duration = Field(default=timedelta(minutes=10), description="An init container keeps failing.")
    init_running: PositiveDuration | None = Field(
        default=None, description="How long one init container may run; not given means as long as it likes."
    )
    active_grace: Duration = Field(
        default=timedelta(minutes=1),
        description="What the kubelet is given beyond active deadline and grace period to end a pod.",
    )
    terminating_grace: Duration | None = Field(
        default=timedelta(minutes=1),
        description="What the kubelet is given beyond a pod's deletion and grace period to tear it down; "
        "null means for ever.",
    )


class RunSettings(Settings):
    """The run role: which pods the agent may delete. Off until namespaces are named."""

    namespaces: tuple[NamespaceName, ...] = Field(
        default=(), description="Namespaces in which the agent may delete pods."
    )
    label: LabelKey = Field(
        default="armada_job_run_id", description="Only pods whose label of this key is not empty are ours to delete."
    )
    pod_kill_timeout: PositiveDuration | None = Field(
        default=timedelta(seconds=30),
        description="How long after its grace period a pod we deleted may take before it is deleted by force; "
        "null means never by force.",
    )


class ContainerSettings(Settings):
    """Which containers are whose, where the pod itself does not say."""

    injected: tuple[ContainerPattern, ...] = Field(
        default=(), description="Containers added after submission, as istio-*: never the user's."
    )


class LogTailSettings(Settings):
    """Whose logs are read when a pod fails. Off until namespaces are named."""

    namespaces: tuple[NamespaceName, ...] = Field(default=(), description="Namespaces whose logs may be read.")
    lines: Annotated[int, Field(ge=1, le=1000)] = Field(default=50, description="Lines read from the end of a log.")
    max_bytes: Annotated[int, Field(ge=1, le=65536)] = Field(default=16384, description="Bytes read at most.")
    deadline: PositiveDuration = Field(default=timedelta(seconds=2), description="How long all logs of a pod may take.")
    at_once: Annotated[int, Field(ge=1, le=100)] = Field(default=8, description="Pods whose logs are read at one time.")


class RedactionRule(Settings):
    """One more thing to redact."""

    name: Annotated[str, Field(min_length=1)] = Field(description="What the rule is called in messages.")
    pattern: Annotated[str, Field(min_length=1)] = Field(description="An RE2 expression; what it matches is replaced.")
    replacement: str = Field(default="[redacted]", description=r"What stands there instead; \1 quotes a group.")


class RedactionSettings(Settings):
    """What must not leave the cluster, beyond what is always redacted."""

    rules: tuple[RedactionRule, ...] = Field(default=(), description="Applied after the rules that ship.")


class BoundSettings(Settings):
    """Bounds on what is held in memory."""

    unspooled: Annotated[int, Field(ge=1)] = Field(
        default=2_000, description="Reports waiting for the disk; reading from the API server stops while it is full."
    )
    waiting: Annotated[int, Field(ge=0)] = Field(
        default=5_000, description="Failures waiting for late events at one time; one more does not wait."
    )
    amendable: Annotated[int, Field(ge=0)] = Field(
        default=2_000, description="Reported failures that late events may still amend; the oldest are dropped first."
    )
    things: Annotated[int, Field(ge=1)] = Field(
        default=50_000, description="Pods and nodes whose events are remembered."
    )
    event_age: PositiveDuration = Field(default=timedelta(hours=1), description="How long events are remembered.")


class HeartbeatSettings(Settings):
    """How often the agent says that it lives."""

    interval: PositiveDuration = Field(default=timedelta(seconds=5), description="Time between two heartbeats.")


class ClusterSettings(Settings):
    """Settings of ``failure-agent cluster``."""

    cluster: ClusterName = Field(description="The name people know this cluster by; its topic is run-events-<name>.")
    kube: KubeSettings = Field(default=KubeSettings(), description="How the API server is reached.")
    watch: WatchSettings = Field(default=WatchSettings(), description="Which pods are watched.")
    mode: DeploymentMode = Field(
        default=DeploymentMode.DEPLOYMENT,
        description="deployment: one process watches all. daemonset: one on each node.",
    )
    lease: LeaseSettings | None = Field(
        default=None, description="How the one that leads is elected; not given means that there is one process only."
    )
    node: NodeModeSettings = Field(default=NodeModeSettings(), description="What mode daemonset does on each node.")
    categories: Path | None = Field(
        default=None, description="The file of error categories; not given means the rules that ship."
    )
    broker: BrokerSettings = Field(description="Where events are sent.")
    subscriptions: tuple[SubscriptionName, ...] = Field(
        default=("scheduler",),
        description="Who reads this cluster's events: subscriptions made before the first is sent, so that all get it.",
    )
    spool: SpoolSettings = Field(description="Where events are kept until the broker has them.")
    release: Release = Field(
        default=Release.PUBLISHED,
        description="published: a pod is released when the broker has acknowledged its failure. "
        "spooled: when the spool holds it; use it only where the spool's disk outlives the pod's node.",
    )
    evidence_wait: Duration = Field(
        default=timedelta(seconds=2),
        description="How long late events are waited for where no rule matches, or only one on an exit code or reason.",
    )
    identity: IdentitySettings = Field(default=IdentitySettings(), description="Where pods say whose run they are.")
    deadlines: DeadlineSettings = Field(default=DeadlineSettings(), description="How long a pod may be in trouble.")
    pending_pod_checks: PendingPodCheckSettings = Field(
        default=PendingPodCheckSettings(), description="When a pod that does not start is given up, as Armada says it."
    )
    failed_pod_checks: FailedPodCheckSettings = Field(
        default=FailedPodCheckSettings(), description="Failed pods whose run may be tried again, as Armada says it."
    )
    stuck_terminating_pod_expiry: Duration = Field(
        default=timedelta(minutes=3),
        description="How long a pod that the agent removes may stay before its failure is reported, "
        "as internal/stuck-terminating.",
    )
    run: RunSettings = Field(default=RunSettings(), description="Which pods the agent may delete.")
    containers: ContainerSettings = Field(default=ContainerSettings(), description="Which containers are whose.")
    log_tails: LogTailSettings = Field(default=LogTailSettings(), description="Whose logs are read.")
    redaction: RedactionSettings = Field(default=RedactionSettings(), description="What must not leave the cluster.")
    bounds: BoundSettings = Field(default=BoundSettings(), description="Bounds on what is held in memory.")
    heartbeat: HeartbeatSettings = Field(default=HeartbeatSettings(), description="How often the agent says it lives.")
    rights_review: PositiveDuration = Field(
        default=timedelta(minutes=1), description="How often the agent asks whether it still has all rights it needs."
    )
    reload: PositiveDuration = Field(
        default=timedelta(seconds=2),
        description="How often this file and the categories file are checked for changes; categories, redaction, "
        "deadlines and log apply at once when changed, other settings after a restart.",
    )
    shutdown: PositiveDuration = Field(
        default=timedelta(seconds=20), description="How long stopping may take to send what is in hand."
    )
    log: LogSettings = Field(default=LogSettings(), description="What is logged.")
    health: HealthSettings = Field(
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
    def _checks_see_their_events(self) -> Self:
        checks = (
            *((f"pendingPodChecks.events[{n}]", each.type) for n, each in enumerate(self.pending_pod_checks.events)),
            *((f"failedPodChecks.events[{n}]", each.type) for n, each in enumerate(self.failed_pod_checks.events)),
        )
        unseen = [name for name, wanted in checks if wanted.value not in self.watch.event_types]
        if unseen:
            raise ValueError(f"{', '.join(unseen)}: Normal events are not watched: set watch.normalEvents to true")
        return self
