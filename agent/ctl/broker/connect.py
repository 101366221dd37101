"""Opens the broker for a command, and turns its errors into those of ``failctl``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent.broker.connect import BadAddress, open_broker
from agent.broker.port import Broker, BrokerError
from agent.console.exits import UnreachableError, UsageError
from agent.ctl.addresses import Owners, find_address
from agent.settings.base import Settings
from agent.settings.broker import BrokerSettings

if TYPE_CHECKING:
    from agent.settings.cluster import ClusterSettings
    from agent.settings.lookout import LookoutSettings
    from agent.settings.scheduler import SchedulerSettings

_FILE = "sqlite:///"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerAddress:
    """Which broker, and how it is reached: the settings of a process that uses it, whose address ``url`` overrides."""

    url: str | None = None
    settings: Path | None = None


class _Section(Settings):
    """The section of settings about the broker."""

    broker: BrokerSettings


def _models() -> "Sequence[type[SchedulerSettings | LookoutSettings | ClusterSettings]]":
    from agent.settings.cluster import ClusterSettings  # noqa: PLC0415 - as Owners says
    from agent.settings.lookout import LookoutSettings  # noqa: PLC0415 - as Owners says
    from agent.settings.scheduler import SchedulerSettings  # noqa: PLC0415 - as Owners says

    return [SchedulerSettings, LookoutSettings, ClusterSettings]


_OWNERS: Final = Owners("a process", _models)


@contextmanager
def open_for_command(where: BrokerAddress, environ: Mapping[str, str]) -> Iterator[Broker]:
    """Give the open broker. Raises UsageError and UnreachableError, also for errors of the broker inside the block."""
    found = find_address(_Section, "broker", url=where.url, file=where.settings, environ=environ, owners=_OWNERS)
    with open_by_settings(found.broker) as broker:
        yield broker


@contextmanager
def open_by_settings(settings: BrokerSettings) -> Iterator[Broker]:
    """The same for settings that have been read."""
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
