"""The broker as a command reaches it: which one, and its errors in the words of ``failctl``."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.broker.connect import BadAddress, open_broker
from agent.broker.port import Broker, BrokerError
from agent.ctl.exits import UnreachableError, UsageError
from agent.settings.base import Settings
from agent.settings.broker import BrokerSettings
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings

_VARIABLES = "FAILURE_AGENT_BROKER__"
_FILE = "sqlite:///"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which broker, and how it is reached: the scheduler's settings, whose address ``url`` overrides."""

    url: str | None = None
    settings: Path | None = None


class _Alone(Settings):
    """What of the scheduler's settings is about the broker."""

    broker: BrokerSettings


@contextmanager
def reached(where: Where, environ: Mapping[str, str]) -> Iterator[Broker]:
    """The broker, open until the end. Raises UsageError and UnreachableError, also for what it answers meanwhile."""
    settings = _settings(where, environ)
    file = settings.url.removeprefix(_FILE)
    if settings.url.startswith(_FILE) and not Path(file).is_file():
        raise UnreachableError(f"there is no event log at {file}")
    try:
        with closing(open_broker(settings)) as broker:
            yield broker
    except BadAddress as error:
        raise UsageError(str(error)) from error
    except BrokerError as error:
        raise UnreachableError(f"the broker did not do it: {error}") from error


def _settings(where: Where, environ: Mapping[str, str]) -> BrokerSettings:
    given = {"broker.url": where.url}
    told = {name: text for name, text in environ.items() if name.startswith(_VARIABLES)}
    if where.url is None and where.settings is None and f"{_VARIABLES}URL" not in told:
        raise UsageError(f"which broker? Give --broker URL, --settings FILE of the scheduler, or {_VARIABLES}URL")
    try:
        if where.settings is not None:
            return load(SchedulerSettings, where.settings, environ, given).broker
        return load(_Alone, None, told, given).broker
    except ConfigError as error:
        raise UsageError(str(error)) from error
