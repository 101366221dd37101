"""Settings of ``failure-agent lookout``."""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent.core.units import in_words
from agent.settings.base import (
    Conflict,
    HealthSettings,
    LogSettings,
    LoopbackHost,
    Port,
    PositiveDuration,
    Settings,
    Spelling,
)
from agent.settings.broker import BrokerSettings
from agent.settings.effect import RootSettings, after_restart, at_once
from agent.settings.store import StoreSettings

HostName = Annotated[
    str,
    Spelling(
        "host name or IP address, without a port",
        pattern=r"[0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+",
        refusal="not a host; write its name or address as browsers do, without scheme and port: lookout.example.com",
    ),
]
HostPort = Annotated[
    str,
    Spelling(
        "HOST:PORT",
        pattern=r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+):[0-9]{1,5}",
        refusal="not HOST:PORT; write 127.0.0.1:8083 or, for an IPv6 address, [::1]:8083",
    ),
]


class LookoutApiSettings(Settings):
    """``api:``, where people and pages look things up over HTTP."""

    enabled: bool = Field(
        default=True, description="Whether the API is served. If not, this process only stores what happened."
    )
    host: LoopbackHost = Field(
        default="127.0.0.1",
        description="The address to listen on. It must be one of this machine only, such as 127.0.0.1: everybody who "
        "reaches it sees every queue.",
    )
    port: Port = Field(default=8085, description="The port; 0 chooses a free one, which the log then names.")
    allowed_hosts: tuple[HostName, ...] = Field(
        default=(),
        description="Names under which it is asked, in addition to 127.0.0.1, ::1 and localhost. It refuses a request "
        "for any other name, because a page of a foreign site could otherwise read it through a browser.",
    )
    scheduler: HostPort | None = Field(
        default=None,
        description="The API of the scheduler, to which requests about jobs, queues and policies are forwarded. "
        "null: they are refused.",
    )


class LookoutSettings(RootSettings):
    """Settings of ``failure-agent lookout``."""

    broker: Annotated[BrokerSettings, after_restart("broker/connect.py", "broker/pulsar")] = Field(
        description="The broker that events come from."
    )
    database: Annotated[StoreSettings, after_restart("lookout/app.py")] = Field(
        description="Where every failure is kept to be looked up. It is none of a scheduler's."
    )
    discover: Annotated[PositiveDuration, after_restart("lookout/app.py")] = Field(
        default=timedelta(seconds=1), description="How often topics of new clusters are looked for."
    )
    max_lag: Annotated[PositiveDuration, at_once("lookout/app.py")] = Field(
        default=timedelta(minutes=10),
        description="How long after its publication a message may be stored before /readyz says that this process is "
        "behind.",
    )
    retention: Annotated[PositiveDuration, at_once("lookout/prune.py")] = Field(
        default=timedelta(days=90),
        description="How long everything is kept after the last message about a job or a cluster. Counts by hour and "
        "by day are kept permanently. A shorter time deletes at once what is older.",
    )
    log_retention: Annotated[PositiveDuration, at_once("lookout/prune.py")] = Field(
        default=timedelta(days=7),
        description="How long the ends of logs are kept after a failure, at most as long as retention.",
    )
    reload: Annotated[PositiveDuration, after_restart("process/reloader.py")] = Field(
        default=timedelta(seconds=2), description="How often the settings are checked for changes."
    )
    shutdown: Annotated[PositiveDuration, after_restart("lookout/app.py")] = Field(
        default=timedelta(seconds=20),
        description="How long stopping may take to finish the current batch. The broker delivers an unfinished one "
        "again.",
    )
    log: Annotated[LogSettings, at_once("process/log.py")] = Field(default=LogSettings(), description="What is logged.")
    health: Annotated[HealthSettings, after_restart("lookout/app.py")] = Field(
        default=HealthSettings(port=8084), description="Where /healthz, /readyz and /metrics are served."
    )
    api: Annotated[LookoutApiSettings, after_restart("lookout/app.py", "lookout/api")] = Field(
        default=LookoutApiSettings(), description="Where the API is served over HTTP."
    )

    @model_validator(mode="after")
    def _logs_are_dropped_first(self) -> Self:
        if self.log_retention > self.retention:
            message = (
                f"logRetention ({in_words(self.log_retention.total_seconds())}) must be at most retention "
                f"({in_words(self.retention.total_seconds())}), because logs are deleted with their failure; "
                "shorten logRetention or lengthen retention"
            )
            raise Conflict(message, "logRetention", "retention")
        return self
