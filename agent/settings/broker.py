"""Which broker carries the messages, and how it is reached."""

from pydantic import Field

from agent.settings.base import Settings, Url
from agent.settings.pulsar import PulsarSettings


class BrokerSettings(Settings):
    """Which broker carries the messages."""

    url: Url = Field(
        description="The broker: sqlite:///PATH is the event log in one file; pulsar://HOST:6650/TENANT/NAMESPACE or "
        "pulsar+ssl://HOST:6651/TENANT/NAMESPACE is Apache Pulsar."
    )
    pulsar: PulsarSettings = Field(default=PulsarSettings(), description="How Pulsar is reached, where url is one.")
