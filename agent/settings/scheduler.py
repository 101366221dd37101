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
    """The delay before a retry, field by field, if neither rule nor policy sets the field."""

    initial_delay: Duration | None = Field(
        default=SEED_BACKOFF.initial, description="The delay before the first retry. null: 0s."
    )
    max_delay: Duration | None = Field(default=SEED_BACKOFF.maximum, description="The longest delay. null: 365 days.")
    multiplier: Annotated[float, Field(ge=1)] | None = Field(
        default=SEED_BACKOFF.multiplier, description="Factor from each delay to the next. null: 1."
    )

    def value(self) -> BackoffPolicy:
        """As the engine takes it."""
        return BackoffPolicy(initial=self.initial_delay, maximum=self.max_delay, multiplier=self.multiplier)


class RetryPolicySettings(Settings):
    """``retryPolicy:``, as in the seed, "Scheduler Config"."""

    enabled: bool = Field(
        default=False,
        description="Whether retry policies decide. If false, a run that its cluster returned is retried up to "
        "maxAttemptedRuns, and nothing else is retried.",
    )
    global_max_retries: Annotated[int, Field(ge=0)] = Field(
        default=20,
        description="Retries of one job in total, whoever grants them. 0: none. It is also the limit of a rule if "
        "neither rule nor policy has a retryLimit.",
    )
    default_policy_name: str | None = Field(
        default=None,
        description="Name of the policy that decides for every job. null: no policy decides. Queues and jobs cannot "
        "name their own yet.",
    )
    default_backoff: BackoffSettings = Field(
        default=BackoffSettings(), description="The delay before a retry if neither rule nor policy sets it."
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


class StoreSettings(Settings):
    """Where what was decided is kept."""

    url: Url = Field(
        description="Address of the store. sqlite:///PATH is a database in one file. "
        "postgresql+psycopg://USER@HOST/DATABASE is Postgres; parameters of libpq follow a question mark, such as "
        "?sslmode=verify-full."
    )
    password_file: Path | None = Field(
        default=None, description="File with the password for Postgres. It is read for each new connection."
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        if not url.startswith(("sqlite:///", "postgresql+psycopg://", "postgresql://")):
            raise ValueError("there is no such store; write sqlite:///PATH or postgresql+psycopg://USER@HOST/DATABASE")
        return url


class SchedulerSettings(Settings):
    """Settings of ``failure-agent scheduler``."""

    broker: BrokerSettings = Field(description="The broker that events come from.")
    store: StoreSettings = Field(description="Where failures and verdicts are kept.")
    retry_policy: RetryPolicySettings = Field(
        default=RetryPolicySettings(), description="What applies to all retry policies."
    )
    job_sets: JobSetSettings = Field(default=JobSetSettings(), description="What applies to every JobSet.")
    policies: tuple[Path, ...] = Field(
        default=(),
        description="Files of retry policies, one policy each, with different names. The one that "
        "retryPolicy.defaultPolicyName names decides.",
    )
    max_attempted_runs: Annotated[int, Field(ge=1)] = Field(
        default=3,
        description="Runs that one job may have in total if no retry policy decides. Only a run that its cluster "
        "returned is retried then.",
    )
    termination_grace_period: Duration = Field(
        default=timedelta(seconds=30),
        description="The least delay before the next run of a job whose preempted run may still be alive. The default "
        "is that of Kubernetes.",
    )
    discover: PositiveDuration = Field(
        default=timedelta(seconds=1), description="How often the scheduler looks for topics of new clusters."
    )
    reload: PositiveDuration = Field(
        default=timedelta(seconds=2),
        description="How often the settings and the policy files are checked for changes. Changes of policies, "
        "retryPolicy, maxAttemptedRuns, terminationGracePeriod and log apply within seconds, all others after a "
        "restart.",
    )
    shutdown: PositiveDuration = Field(
        default=timedelta(seconds=20),
        description="How long stopping may take to finish the current batch. The broker delivers an unfinished one "
        "again.",
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
