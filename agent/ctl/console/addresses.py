"""Whereabouts: where a command finds what the scheduler uses, the broker or the store."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from agent.ctl.console.exits import UsageError
from agent.settings.base import Settings
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings

Alone = TypeVar("Alone", bound=Settings)


def find_address(
    alone: type[Alone], name: str, *, url: str | None, file: Path | None, environ: Mapping[str, str]
) -> Alone | SchedulerSettings:
    """The settings that say where it is: the scheduler's in ``file``, else its ``name`` alone, which ``alone`` has.

    ``url`` overrides the address there. Raises UsageError where nothing says an address, or what does is wrong.
    """
    variables = f"FAILURE_AGENT_{name.upper()}__"
    told = {variable: text for variable, text in environ.items() if variable.startswith(variables)}
    if url is None and file is None and f"{variables}URL" not in told:
        raise UsageError(f"which {name}? Give --{name} URL, --settings FILE of the scheduler, or {variables}URL")
    given = {f"{name}.url": url}
    try:
        return load(alone, None, told, given) if file is None else load(SchedulerSettings, file, environ, given)
    except ConfigError as error:
        raise UsageError(str(error)) from error
