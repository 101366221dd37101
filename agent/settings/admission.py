"""Whether the agent gives failed pods of Jobs a condition, as an admission webhook, and its limits."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent.settings.base import Conflict, Port, PositiveDuration, Settings

_LONGEST_DEADLINE = timedelta(milliseconds=800)
"""The API server waits 1 s for a webhook of ``deploy/admission.yaml``; the rest is for the network and TLS."""


class BrakeSettings(Settings):
    """How many conditions a whole cluster may get in a time before the agent stops by itself."""

    at_most: Annotated[int, Field(ge=1)] = Field(
        default=1_000,
        description="Pods that may get a condition within admission.brake.window. One more stops the webhook for "
        "admission.brake.pause. Each process counts what it gave, and what its watch shows of others.",
    )
    window: PositiveDuration = Field(default=timedelta(minutes=10), description="The time in which atMost pods count.")
    pause: PositiveDuration = Field(
        default=timedelta(minutes=30), description="How long no pod gets a condition after the limit was exceeded."
    )


class AdmissionSettings(Settings):
    """The webhook that gives failed pods of Jobs a condition, which podFailurePolicy can name."""

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. The default is loopback; the API server must reach it through a Service, so "
        "in a cluster it is 0.0.0.0 or the pod's address.",
    )
    port: Port = Field(
        default=8443, description="Port to listen on. 0 lets the system choose one, which the log then names."
    )
    certificate_file: Path = Field(
        description="File with the certificate, in PEM, that the webhook's clients see. It is read again when it "
        "changes.",
    )
    key_file: Path = Field(
        description="File with the private key of certificateFile, in PEM. It is read again when it changes."
    )
    client_ca_file: Path | None = Field(
        default=None,
        description="File with the certificates, in PEM, of the authorities whose clients may ask. Only the API server "
        "should have a certificate of them. null: everyone who reaches the port may ask.",
    )
    deadline: PositiveDuration = Field(
        default=timedelta(milliseconds=200),
        description="How long after its arrival a request may be answered with a condition. A later answer has none. "
        "At most 800ms.",
    )
    per_index: Annotated[int, Field(ge=0)] = Field(
        default=3,
        description="How often an index of a Job may get the condition Infrastructure, and that of a category; for a "
        "Job that is not indexed, the whole Job. 0: never.",
    )
    brake: BrakeSettings = Field(
        default=BrakeSettings(),
        description="How many conditions a whole cluster may get in a time before the agent stops by itself.",
    )
    shadow: bool = Field(
        default=False,
        description="Whether the agent decides and counts only. No pod gets a condition; reports say which it would "
        "have got.",
    )

    @model_validator(mode="after")
    def _answered_in_time(self) -> Self:
        if self.deadline > _LONGEST_DEADLINE:
            message = "deadline must be at most 800ms, because the API server waits 1 s; write 200ms"
            raise Conflict(message, "deadline")
        return self
