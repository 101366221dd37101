"""A namespace in a broker, for one test: its topics are nobody else's."""

import secrets
from dataclasses import dataclass

from tests.servers.pulsar_broker import PulsarBroker


@dataclass(frozen=True, slots=True, kw_only=True)
class PulsarNamespace:
    """A namespace, ``name`` being ``TENANT/NAMESPACE``."""

    broker: PulsarBroker
    name: str

    @property
    def tenant(self) -> str:
        """The first half of its name."""
        return self.name.partition("/")[0]

    def topic(self, name: str) -> str:
        """The full name of a topic in it."""
        return f"persistent://{self.name}/{name}"


def make_namespace(broker: PulsarBroker, *, tenant: str = "public") -> PulsarNamespace:
    """Make one with a new name and no policies."""
    name = f"{tenant}/test-{secrets.token_hex(4)}"
    broker.admin.create_namespace(name)
    return PulsarNamespace(broker=broker, name=name)
