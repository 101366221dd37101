"""How a Pulsar cluster is reached, in addition to its address."""

from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent.settings.base import Conflict, PositiveDuration, Settings, Spelling, Url

PulsarNamespace = Annotated[
    str,
    Spelling(
        "TENANT/NAMESPACE",
        pattern=r"^[-=:.\w]+/[-=:.\w]+$",
        refusal="not a namespace of Pulsar; write TENANT/NAMESPACE, as public/default",
    ),
]
"""``TENANT/NAMESPACE``, of the characters that Pulsar takes in both."""


class Subscriptions(StrEnum):
    """Who makes subscriptions: this process, before it first publishes, or the operator of Pulsar."""

    ENSURE = "ensure"
    GIVEN = "given"


class PulsarSettings(Settings):
    """Read where the broker's address is one of Pulsar's. Files are read again when a connection is made."""

    namespace: PulsarNamespace = Field(
        default="public/default",
        description="Where all topics are, if broker.url has no path. A path there overrides it.",
    )
    token_file: Path | None = Field(default=None, description="File with the token that authenticates this process.")
    ca_file: Path | None = Field(
        default=None,
        description="File with the certificates, in PEM, of the authorities that sign the broker's certificate. null: "
        "those of the operating system.",
    )
    certificate_file: Path | None = Field(
        default=None,
        description="File with this process's own certificate, in PEM. Without a token it authenticates the process. "
        "Give keyFile too.",
    )
    key_file: Path | None = Field(default=None, description="File with the private key of certificateFile, in PEM.")
    check_hostname: bool = Field(
        default=True, description="Whether the broker's certificate must be for the host in broker.url."
    )
    admin_url: Url | None = Field(
        default=None,
        description="Address of Pulsar's admin API. `failctl broker check` reads the settings there, and the scheduler "
        "what it has acknowledged. null: the scheduler concludes nothing if a list of a cluster's pods lacks one.",
    )
    subscriptions: Subscriptions = Field(
        default=Subscriptions.ENSURE,
        description="ensure: the process creates the subscriptions before it publishes. given: an operator of Pulsar "
        "has created them.",
    )
    operation_timeout: PositiveDuration = Field(
        default=timedelta(seconds=10), description="How long the broker may take to answer one request."
    )

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            message = "certificateFile and keyFile belong together; give both or neither"
            raise Conflict(message, "certificateFile", "keyFile")
        return self
