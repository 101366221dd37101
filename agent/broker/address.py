"""Addresses of brokers that cannot be used."""

from agent.broker.port import BrokerError


class BadAddress(BrokerError):
    """The address, or what settings say beside it, names no broker that can be opened; trying again cannot help."""
