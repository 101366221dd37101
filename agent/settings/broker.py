"""Which broker carries the messages, and how it is reached."""

from typing import Final

from pydantic import Field, field_validator

from agent.settings.base import Settings, Url
from agent.settings.pulsar import PulsarSettings

ADDRESSES: Final = ("sqlite:///", "pulsar://", "pulsar+ssl://")
"""How addresses of brokers begin: those that ``agent.broker.connect`` opens."""


class BrokerSettings(Settings):
    """Which broker carries the messages."""

    url: Url = Field(
        description="Address of the broker. sqlite:///PATH is the event log, one file that processes on the same "
        "machine share. pulsar://HOST:6650/TENANT/NAMESPACE or pulsar+ssl://HOST:6651/TENANT/NAMESPACE is Apache "
        "Pulsar."
    )
    pulsar: PulsarSettings = Field(
        default=PulsarSettings(), description="How Pulsar is reached. Used if url is an address of Pulsar."
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        if not url.startswith(ADDRESSES):
            raise ValueError(f"there is no such broker; write {', '.join(f'{address}...' for address in ADDRESSES)}")
        return url
