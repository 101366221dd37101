"""Settings of ``failure-agent scheduler``."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from agent.core.jobset.gates import Gates, gates_of
from agent.core.lifecycle.names import DEFAULT_PREFIX
from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.retry.policy import DEFAULT_POLICY, PROPOSED_BACKOFF, BackoffPolicy, RetrySettings
from agent.settings.base import Duration, HealthSettings, LogSettings, LoopbackHost, PositiveDuration, Settings
from agent.settings.broker import BrokerSettings
from agent.settings.effect import RootSettings, after_restart, at_once
from agent.settings.names import PodNamePrefix
from agent.settings.store import StoreSettings


class BackoffSettings(Settings):
    """The delay before a retry, field by field, if neither rule nor policy sets the field."""

    initial_delay: Duration | None = Field(
        default=PROPOSED_BACKOFF.initial, description="The delay before the first retry. null: 0s."
    )
    max_delay: Duration | None = Field(
        default=PROPOSED_BACKOFF.maximum, description="The longest delay. null: 365 days."
    )
    multiplier: Annotated[float, Field(ge=1)] | None = Field(
        default=PROPOSED_BACKOFF.multiplier, description="Factor from each delay to the next. null: 1."
    )

    def value(self) -> BackoffPolicy:
        """What ``merge_backoff`` falls back to, field by field."""
        return BackoffPolicy(initial=self.initial_delay, maximum=self.max_delay, multiplier=self.multiplier)


class RetryPolicySettings(Settings):
    """``scheduling.retryPolicy``, with the names of Armada's proposal #4683 ("configurable retry policies")."""

    enabled: bool = Field(
        default=False,
        description="Whether retry policies decide. If false, a run that its cluster returned is retried up to "
        "maxAttemptedRuns, nothing else is retried, and all runs of a job have the pod name of the first. Names change "
        "for runs that are leased later.",
    )
    global_max_retries: Annotated[int, Field(ge=0)] = Field(
        default=20,
        description="Retries of one job in total, whoever grants them. 0: none. It is also the limit of a rule if "
        "neither rule nor policy has a retryLimit.",
    )
    default_policy_name: str = Field(
        default=DEFAULT_POLICY,
        description="Name of the policy that decides for jobs whose queue and annotation name none. `default` always "
        "exists: unless it is changed, it has no rules and fails every job.",
    )
    default_backoff: BackoffSettings = Field(
        default=BackoffSettings(), description="The delay before a retry if neither rule nor policy sets it."
    )


class SchedulingSettings(Settings):
    """``scheduling``, as in the configuration of Armada's scheduler."""

    retry_policy: RetryPolicySettings = Field(
        default=RetryPolicySettings(), description="What applies to all retry policies."
    )


class ApiSettings(Settings):
    """``api:``, where resources are managed."""

    host: LoopbackHost = Field(
        default="127.0.0.1",
        description="The address to listen on. It must be one of this machine only, such as 127.0.0.1: everybody who "
        "reaches it may change everything.",
    )
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=8083, description="The port; 0 chooses a free one.")
    refresh: PositiveDuration = Field(
        default=timedelta(milliseconds=500), description="How often changes by other schedulers are looked for."
    )


class JobSetSettings(Settings):
    """``jobSets:``, what applies to every JobSet."""

    feature_gates: dict[Literal["RestartJob", "InPlaceRestart"], bool] = Field(
        default={},
        description="JobSet's alpha features, by upstream's names. A feature that is not named is off. `failctl lint` "
        "uses them; the scheduler does not run JobSets yet.",
    )

    def gates(self) -> Gates:
        """As the engine takes them."""
        return gates_of({str(name): on for name, on in self.feature_gates.items()})


class RetrySwitchSettings(Settings):
    """``retries:``, what holds all retries."""

    stopped: bool = Field(
        default=False,
        description="Whether every retry of a submitted job waits, also one that a person granted. None fails: they "
        "go on when this is false again. First runs start as usual.",
    )


class RunSettings(Settings):
    """``runs:``, what holds for the runs of submitted jobs."""

    graceful_shutdown: GracefulShutdown = Field(
        default=GracefulShutdown.TIMER,
        description="What the next run waits for while the pod of the last one may still live. `timer`: that it is "
        "confirmed to be gone, or for gracePeriod, whichever comes first. `confirmed`: only that it is confirmed. A "
        "queue may say otherwise.",
    )
    lost_cluster: LostCluster = Field(
        default=LostCluster.REPLACE,
        description="What happens to the run of a cluster that is silent. `replace`: after its lease it gets a "
        "verdict. `wait`: it is waited for. A queue may say otherwise. Leases do not expire yet, so every silent "
        "cluster is waited for.",
    )
    grace_period: Duration = Field(
        default=timedelta(seconds=30),
        description="The grace period of `timer`, counted from the end of the run. A pod's own, longer "
        "terminationGracePeriodSeconds overrides it.",
    )
    pod_name_prefix: PodNamePrefix = Field(
        default=DEFAULT_PREFIX,
        description="What the names of pods begin with; the job's id follows. Changes apply to runs that are leased "
        "later.",
    )
    silent: PositiveDuration = Field(
        default=timedelta(minutes=1),
        description="How long after its last heartbeat a cluster gets no more runs. Its agent sends one every "
        "heartbeat.interval.",
    )
    lease: PositiveDuration = Field(
        default=timedelta(hours=1),
        description="How long after its last heartbeat the runs of a cluster are taken to go on there. After that "
        "`failctl explain` and `failctl get jobs` say of each of them that the cluster is silent, and since when. They "
        "are waited for.",
    )
    interval: PositiveDuration = Field(
        default=timedelta(milliseconds=500), description="Time between two looks at the jobs that are due."
    )
    list_interval: PositiveDuration = Field(
        default=timedelta(minutes=1),
        description="How often a cluster is asked for a list of the pods of its runs, with which lost creates, missing "
        "pods and orphans are found.",
    )


class SchedulerSettings(RootSettings):
    """Settings of ``failure-agent scheduler``."""

    broker: Annotated[BrokerSettings, after_restart("broker/connect.py", "broker/pulsar")] = Field(
        description="The broker that events come from."
    )
    store: Annotated[StoreSettings, after_restart("scheduler/app.py")] = Field(
        description="Where failures and verdicts are kept."
    )
    scheduling: Annotated[SchedulingSettings, at_once("settings/scheduler.py", "scheduler/config/files.py")] = Field(
        default=SchedulingSettings(), description="How runs are retried."
    )
    job_sets: Annotated[JobSetSettings, after_restart("ctl/lint.py", "settings/scheduler.py")] = Field(
        default=JobSetSettings(), description="What applies to every JobSet."
    )
    retries: Annotated[RetrySwitchSettings, at_once("scheduler/app.py")] = Field(
        default=RetrySwitchSettings(), description="What holds all retries."
    )
    runs: Annotated[RunSettings, at_once("scheduler/schedule")] = Field(
        default=RunSettings(), description="What holds for the runs of submitted jobs."
    )
    policies: Annotated[tuple[Path, ...], at_once("scheduler/config/files.py")] = Field(
        default=(),
        description="Files of retry policies, one policy each, with different names. A policy that a file has cannot "
        "be changed over the API; if the store has it too, the file's is in effect.",
    )
    max_attempted_runs: Annotated[int, Field(ge=1), at_once("core/decision/legacy.py")] = Field(
        default=3,
        description="Runs that one job may have in total if no retry policy decides. Only a run that its cluster "
        "returned is retried then.",
    )
    termination_grace_period: Annotated[Duration, at_once("scheduler/config/files.py")] = Field(
        default=timedelta(seconds=30),
        description="The least delay before the next run of a job whose preempted run may still be alive. The default "
        "is that of Kubernetes.",
    )
    discover: Annotated[PositiveDuration, after_restart("scheduler/app.py")] = Field(
        default=timedelta(seconds=1), description="How often the scheduler looks for topics of new clusters."
    )
    reload: Annotated[PositiveDuration, after_restart("process/reloader.py")] = Field(
        default=timedelta(seconds=2),
        description="How often the settings and the policy files are checked for changes.",
    )
    shutdown: Annotated[PositiveDuration, after_restart("scheduler/app.py")] = Field(
        default=timedelta(seconds=20),
        description="How long stopping may take to finish the current batch. The broker delivers an unfinished one "
        "again.",
    )
    log: Annotated[LogSettings, at_once("process/log.py")] = Field(default=LogSettings(), description="What is logged.")
    api: Annotated[ApiSettings, after_restart("scheduler/app.py")] = Field(
        default=ApiSettings(), description="Where failctl manages retry policies, queues and error rules."
    )
    health: Annotated[HealthSettings, after_restart("scheduler/app.py")] = Field(
        default=HealthSettings(port=8082), description="Where /healthz, /readyz and /metrics are served."
    )

    def retrying(self) -> RetrySettings:
        """What decides about retries next to the policies (``core.decision``)."""
        own = self.scheduling.retry_policy
        return RetrySettings(
            enabled=own.enabled,
            global_max_retries=own.global_max_retries,
            default_policy_name=own.default_policy_name,
            default_backoff=own.default_backoff.value(),
            max_attempted_runs=self.max_attempted_runs,
        )
