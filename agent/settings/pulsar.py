"""How a Pulsar cluster is reached: what stands beside its address."""

from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent.settings.base import PositiveDuration, Settings, Url

PulsarNamespace = Annotated[str, Field(pattern=r"^[-=:.\w]+/[-=:.\w]+$")]
"""``TENANT/NAMESPACE``, of the characters that Pulsar takes in both."""


class Subscriptions(StrEnum):
    """Who makes subscriptions: this process, before it first publishes, or the operator of Pulsar."""

    ENSURE = "ensure"
    GIVEN = "given"


class PulsarSettings(Settings):
    """Read where the broker's address is one of Pulsar's. Files are read again when a connection is made."""

    namespace: PulsarNamespace = Field(
        default="public/default",
        description="TENANT/NAMESPACE of all topics; a path in the broker's URL goes before it.",
    )
    token_file: Path | None = Field(default=None, description="The file with the token this process is known by.")
    ca_file: Path | None = Field(
        default=None,
        description="Certificates of the authorities that may have signed the broker's; default: system's.",
    )
    certificate_file: Path | None = Field(default=None, description="This process's own certificate, in PEM.")
    key_file: Path | None = Field(default=None, description="The key of that certificate, in PEM.")
    check_hostname: bool = Field(
        default=True, description="Whether the broker's certificate must be for the host in its address."
    )
    admin_url: Url | None = Field(
        default=None, description="Pulsar's admin API; only `failctl broker check` asks it, to say what is set wrong."
    )
    subscriptions: Subscriptions = Field(
        default=Subscriptions.ENSURE,
        description="ensure: subscriptions are made before the first message. given: they were made by an operator.",
    )
    operation_timeout: PositiveDuration = Field(
        default=timedelta(seconds=10), description="How long the broker may take to answer a request."
    )

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError("certificateFile and keyFile belong together: give both or neither")
        return self
