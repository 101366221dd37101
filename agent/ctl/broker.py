"""The broker as a command reaches it: which one, and its errors in the words of ``failctl``."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.broker.connect import BadAddress, connect
from agent.broker.port import Broker, BrokerError
from agent.ctl.exits import UnreachableError, UsageError
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings

_VARIABLE = "FAILURE_AGENT_BROKER__URL"
_FILE = "sqlite:///"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which broker: an address, else the scheduler's settings."""

    url: str | None = None
    settings: Path | None = None


@contextmanager
def reached(where: Where, environ: Mapping[str, str]) -> Iterator[Broker]:
    """The broker, open until the end. Raises UsageError and UnreachableError, also for what it answers meanwhile."""
    url = _url(where, environ)
    if url.startswith(_FILE) and not Path(url.removeprefix(_FILE)).is_file():
        raise UnreachableError(f"there is no event log at {url.removeprefix(_FILE)}")
    try:
        with closing(connect(url)) as broker:
            yield broker
    except BadAddress as error:
        raise UsageError(str(error)) from error
    except BrokerError as error:
        raise UnreachableError(f"the broker did not do it: {error}") from error


def _url(where: Where, environ: Mapping[str, str]) -> str:
    if where.url is not None:
        return where.url
    if where.settings is not None:
        try:
            return load(SchedulerSettings, where.settings, environ).broker.url
        except ConfigError as error:
            raise UsageError(str(error)) from error
    if (url := environ.get(_VARIABLE)) is not None:
        return url
    raise UsageError(f"which broker? Give --broker URL, --settings FILE of the scheduler, or {_VARIABLE}")
