"""Opens the broker for a command, and turns its errors into those of ``failctl``."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.broker.connect import BadAddress, open_broker
from agent.broker.port import Broker, BrokerError
from agent.console.exits import UnreachableError, UsageError
from agent.ctl.addresses import find_address
from agent.settings.base import Settings
from agent.settings.broker import BrokerSettings

_FILE = "sqlite:///"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerAddress:
    """Which broker, and how it is reached: the scheduler's settings, whose address ``url`` overrides."""

    url: str | None = None
    settings: Path | None = None


class _Section(Settings):
    """The section of the scheduler's settings about the broker."""

    broker: BrokerSettings


@contextmanager
def open_for_command(where: BrokerAddress, environ: Mapping[str, str]) -> Iterator[Broker]:
    """Give the open broker. Raises UsageError and UnreachableError, also for errors of the broker inside the block."""
    settings = find_address(_Section, "broker", url=where.url, file=where.settings, environ=environ).broker
    if (missing := missing_event_log(settings.url)) is not None:
        raise UnreachableError(missing)
    try:
        with closing(open_broker(settings)) as broker:
            yield broker
    except BadAddress as error:
        raise UsageError(str(error)) from error
    except BrokerError as error:
        raise UnreachableError(f"the broker could not do this: {error}") from error


def missing_event_log(url: str) -> str | None:
    """An error message if the address is of an event log that does not exist; else ``None``.

    Opening it would create it, and a mistyped path would look like an empty broker.
    """
    file = url.removeprefix(_FILE)
    if not url.startswith(_FILE) or Path(file).is_file():
        return None
    return f"there is no event log at {Path(file).absolute()}"
