"""Whereabouts: where a command finds what the scheduler uses, the broker or the store."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from agent.ctl.console.exits import UsageError
from agent.settings.base import Settings
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings

Section = TypeVar("Section", bound=Settings)


def find_address(
    section: type[Section], name: str, *, url: str | None, file: Path | None, environ: Mapping[str, str]
) -> Section | SchedulerSettings:
    """The settings that say where it is: the scheduler's in ``file``, else its ``name`` section, which ``section`` has.

    ``url`` overrides the address there. Raises UsageError where nothing says an address, or what does is wrong.
    """
    prefix = f"FAILURE_AGENT_{name.upper()}__"
    given = {variable: text for variable, text in environ.items() if variable.startswith(prefix)}
    if url is None and file is None and f"{prefix}URL" not in given:
        raise UsageError(f"which {name}? Give --{name} URL, --settings FILE of the scheduler, or {prefix}URL")
    overrides = {f"{name}.url": url}
    try:
        if file is None:
            return load(section, None, given, overrides)
        return load(SchedulerSettings, file, environ, overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from error
