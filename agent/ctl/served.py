"""Where the API of the scheduler is, by its settings."""

from collections.abc import Mapping
from pathlib import Path

from agent.console.exits import UsageError
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import SchedulerSettings


def api_of(file: Path, environ: Mapping[str, str]) -> str:
    """The ``host:port`` where a scheduler with these settings listens. Raises UsageError."""
    try:
        found = load(SchedulerSettings, file, environ).api
    except ConfigError as error:
        raise UsageError(str(error)) from error
    if not found.port:
        raise UsageError(f"{file}: with `api.port: 0` only the scheduler's log says where it listens; give --server")
    return f"[{found.host}]:{found.port}" if ":" in found.host else f"{found.host}:{found.port}"
