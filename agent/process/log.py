"""Configures the log of a process by its settings. It goes to standard error without the guard of ``agent.console``.

The log escapes control characters itself, and has more colours than the guard allows.
"""

import sys

from agent.console.guard import unguarded
from agent.console.terminal import palette
from agent.settings.base import LogSettings
from agent.telemetry.logs import configure


def log_by(settings: LogSettings) -> None:
    """Log by these settings from now on; in colour as ``--color`` and NO_COLOR say."""
    err = unguarded(sys.stderr)
    configure(settings.level, settings.format, stream=err, coloured=palette(err).on)
