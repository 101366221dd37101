"""Apache Pulsar as a broker: the port on pulsar-client (reference/pulsar.md 3)."""

from agent.broker.pulsar.broker import PulsarBroker

__all__ = ["PulsarBroker"]
