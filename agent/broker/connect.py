"""Opens the broker for an address."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from agent.broker.eventlog import EventLog
from agent.broker.port import BadAddress, Broker
from agent.settings.broker import BrokerSettings
from agent.settings.pulsar import PulsarSettings

__all__ = ["BadAddress", "connect", "open_broker"]

_SQLITE: Final = "sqlite:///"
_SUPPORTED: Final = "sqlite:///FILE, pulsar://HOST:6650/TENANT/NAMESPACE and pulsar+ssl://HOST:6651/TENANT/NAMESPACE"


def open_broker(settings: BrokerSettings) -> Broker:
    """Open the broker that settings name. Raises what ``connect`` raises."""
    return connect(settings.url, settings.pulsar)


def connect(url: str, pulsar: PulsarSettings | None = None) -> Broker:
    """Open the broker at ``url``.

    ``sqlite:///FILE`` is an event log, FILE being relative unless it starts with another slash. ``pulsar://HOST:6650``
    and ``pulsar+ssl://HOST:6651`` are Apache Pulsar, several hosts with commas, and behind them, if it is not said in
    ``pulsar``, TENANT/NAMESPACE. Raises BadAddress for any other address, and what ``EventLog.open`` raises.
    """
    scheme = url.partition(":")[0]
    opener = _OPENERS.get(scheme)
    if opener is None:
        raise BadAddress(f"there is no broker for {scheme!r} addresses; supported are {_SUPPORTED}")
    return opener(url, pulsar or PulsarSettings())


def _open_event_log(url: str, _: PulsarSettings) -> Broker:
    path = url.removeprefix(_SQLITE)
    if not url.startswith(_SQLITE) or path in {"", ":memory:"} or "?" in path:
        raise BadAddress(f"{url} names no file; use {_SQLITE}FILE, shared by every process")
    return EventLog.open(path)


def _open_pulsar(url: str, settings: PulsarSettings) -> Broker:
    # Imported on demand: the library takes 16 MB of memory, which a process on an event log must not pay.
    opened: Broker = import_module("agent.broker.pulsar").PulsarBroker.open(url, settings)
    return opened


_OPENERS: Final[Mapping[str, Callable[[str, PulsarSettings], Broker]]] = {
    "sqlite": _open_event_log,
    "pulsar": _open_pulsar,
    "pulsar+ssl": _open_pulsar,
}
