"""Which scheduler's API a command uses, and as which user. ``agent.ctl.api`` connects, and takes longer to import."""

import getpass
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.ctl.destination import check_address

DEFAULT: Final = "127.0.0.1:8083"
"""Where a scheduler on this machine listens unless its settings say otherwise."""

VARIABLE: Final = "FAILCTL_SERVER"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerChoice:
    """The API by the options of a command: its address, or a context."""

    server: str | None = None
    context: str | None = None

    def options(self) -> tuple[str, ...]:
        """Options by which another command finds the same API."""
        if self.server is not None:
            return ("--server", self.server)
        return () if self.context is None else ("--context", self.context)

    def address(self, environ: Mapping[str, str]) -> str | None:
        """Its address; ``None`` if no option, variable or context names one. Raises UsageError and NotFoundError."""
        if self.server is not None:
            return check_address(self.server)
        if self.context is None and environ.get(VARIABLE):
            return check_address(environ[VARIABLE])
        from agent.ctl.context.contexts import read_contexts  # noqa: PLC0415 - imports YAML, which no address needs

        found = read_contexts(environ)
        name = self.context or found.current
        return None if name is None else check_address(found.named(name).server)


def user() -> str:
    """The name of the user on this machine, which the API records with changes."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return "unknown"
