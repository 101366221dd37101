"""Settings of ``failure-agent scheduler``."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from agent.core.jobset.gates import Gates, gates_of
from agent.core.retry.policy import SEED_BACKOFF, BackoffPolicy, RetrySettings
from agent.settings.base import Duration, HealthSettings, LogSettings, PositiveDuration, Settings, Url
from agent.settings.broker import BrokerSettings


class BackoffSettings(Settings):
    """The delay before a retry where neither rule nor policy says; each field may be left to its default."""

    initial_delay: Duration | None = Field(default=SEED_BACKOFF.initial, description="The delay before the first.")
    max_delay: Duration | None = Field(default=SEED_BACKOFF.maximum, description="No delay is longer.")
    multiplier: Annotated[float, Field(ge=1)] | None = Field(
        default=SEED_BACKOFF.multiplier, description="By how much each delay is longer than the one before."
    )

    def value(self) -> BackoffPolicy:
        """As the engine takes it."""
        return BackoffPolicy(initial=self.initial_delay, maximum=self.max_delay, multiplier=self.multiplier)


class RetryPolicySettings(Settings):
    """``retryPolicy:``, as in the seed, "Scheduler Config"."""

    enabled: bool = Field(default=False, description="Whether retry policies decide; without, the legacy formula.")
    global_max_retries: Annotated[int, Field(ge=0)] = Field(
        default=20, description="Retries that policies may grant to one job in all; 0 stops every retry."
    )
    default_policy_name: str | None = Field(
        default=None, description="The policy for jobs whose queue and annotations name none."
    )
    default_backoff: BackoffSettings = Field(
        default=BackoffSettings(), description="The delay before a retry where neither rule nor policy says."
    )


class JobSetSettings(Settings):
    """``jobSets:``, what holds for every JobSet."""

    feature_gates: dict[Literal["RestartJob", "InPlaceRestart"], bool] = Field(
        default={}, description="JobSet's alpha features by upstream's names; both are off unless switched on."
    )

    def gates(self) -> Gates:
        """As the engine takes them."""
        return gates_of({str(name): on for name, on in self.feature_gates.items()})


class StoreSettings(Settings):
    """Where what was decided is kept."""

    url: Url = Field(
        description="The store: sqlite:///PATH is a database in one file; postgresql+psycopg://USER@HOST/DATABASE is "
        "Postgres, with what libpq takes behind a question mark, as ?sslmode=verify-full."
    )
    password_file: Path | None = Field(
        default=None, description="The file with the password to Postgres; it is read for each new connection."
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        if not url.startswith(("sqlite:///", "postgresql+psycopg://", "postgresql://")):
            raise ValueError("there is no such store; write sqlite:///PATH or postgresql+psycopg://USER@HOST/DATABASE")
        return url


class SchedulerSettings(Settings):
    """Settings of ``failure-agent scheduler``."""

    broker: BrokerSettings = Field(description="Where events come from.")
    store: StoreSettings = Field(description="Where verdicts are kept.")
    retry_policy: RetryPolicySettings = Field(
        default=RetryPolicySettings(), description="What holds for all retry policies."
    )
    job_sets: JobSetSettings = Field(default=JobSetSettings(), description="What holds for every JobSet.")
    policies: tuple[Path, ...] = Field(default=(), description="Files of retry policies, one policy each.")
    max_attempted_runs: Annotated[int, Field(ge=1)] = Field(
        default=3, description="Runs of a job in all, where retry policies are off or none is in effect."
    )
    termination_grace_period: Duration = Field(
        default=timedelta(seconds=30),
        description="How long a preempted run that may still live is waited for; Kubernetes' own default.",
    )
    discover: PositiveDuration = Field(
        default=timedelta(seconds=1), description="How often topics of new clusters are looked for."
    )
    reload: PositiveDuration = Field(
        default=timedelta(seconds=2),
        description="How often this file and the policy files are checked for changes; policies, retryPolicy, "
        "maxAttemptedRuns, terminationGracePeriod and log apply at once when changed, other settings after a restart.",
    )
    shutdown: PositiveDuration = Field(
        default=timedelta(seconds=20), description="How long stopping may take to end the batch in hand."
    )
    log: LogSettings = Field(default=LogSettings(), description="What is logged.")
    health: HealthSettings = Field(
        default=HealthSettings(port=8082), description="Where /healthz, /readyz and /metrics are served."
    )

    def retrying(self) -> RetrySettings:
        """As the engine takes it."""
        return RetrySettings(
            enabled=self.retry_policy.enabled,
            global_max_retries=self.retry_policy.global_max_retries,
            default_policy_name=self.retry_policy.default_policy_name,
            default_backoff=self.retry_policy.default_backoff.value(),
            max_attempted_runs=self.max_attempted_runs,
        )
