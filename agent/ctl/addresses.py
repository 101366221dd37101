"""Where a command finds the broker or the store that the scheduler uses."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from agent.console.exits import UsageError
from agent.settings.base import Settings
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings

Section = TypeVar("Section", bound=Settings)


def find_address(
    section: type[Section], name: str, *, url: str | None, file: Path | None, environ: Mapping[str, str]
) -> Section | SchedulerSettings:
    """Return the settings with the address: the scheduler's from ``file``, else only their section ``name``.

    ``section`` is a model with that one field. ``url`` overrides the address. Raises UsageError where no address is
    given, or the settings are wrong.
    """
    prefix = f"FAILURE_AGENT_{name.upper()}__"
    # Without the scheduler's file its other variables would be unknown settings, so only those of the section count.
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
