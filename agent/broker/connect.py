"""From an address to a broker."""

from agent.broker.eventlog import EventLog
from agent.broker.port import Broker, BrokerError

_SQLITE = "sqlite:///"


class BadAddress(BrokerError):
    """The address names no broker this version can open; trying again cannot help."""


def connect(url: str) -> Broker:
    """Open the broker at ``url``: ``sqlite:///FILE``, where FILE is relative unless it starts with another slash.

    Raises BadAddress for any other address, and what ``EventLog.open`` raises.
    """
    if not url.startswith(_SQLITE):
        scheme = url.partition(":")[0]
        raise BadAddress(f"there is no broker for {scheme!r} addresses in this version; it supports {_SQLITE}FILE")
    path = url.removeprefix(_SQLITE)
    if path in {"", ":memory:"} or "?" in path:
        raise BadAddress(f"{url} names no file; use {_SQLITE}FILE, shared by every process")
    return EventLog.open(path)
