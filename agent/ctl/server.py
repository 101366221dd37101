"""Which API a command uses, of a scheduler or of a Lookout, and as which user.

``agent.ctl.api`` and ``agent.ctl.lookout_api`` connect, and take longer to import.
"""

import getpass
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.ctl.destination import check_address, check_lookout

DEFAULT: Final = "127.0.0.1:8083"
"""Where a scheduler on this machine listens unless its settings say otherwise."""

DEFAULT_LOOKOUT: Final = "http://127.0.0.1:8085"
"""Where a Lookout on this machine listens unless its settings say otherwise."""

VARIABLE: Final = "FAILCTL_SERVER"
LOOKOUT_VARIABLE: Final = "FAILCTL_LOOKOUT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The APIs that were named together. ``context`` is the one that named them, if one did."""

    server: str | None = None
    lookout: str | None = None
    context: str | None = None

    @property
    def is_any(self) -> bool:
        return self.server is not None or self.lookout is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerChoice:
    """The APIs by the options of a command: their addresses, the scheduler's settings, or a context.

    Commands that read a store have ``--settings`` in their ``StoreAddress`` instead.
    """

    server: str | None = None
    context: str | None = None
    lookout: str | None = None
    settings: Path | None = None

    @property
    def option(self) -> str | None:
        """The first of the options that names an API; ``None`` without one."""
        given = {"--server": self.server, "--lookout": self.lookout, "--context": self.context}
        return next((name for name, value in given.items() if value is not None), None)

    def options(self) -> tuple[str, ...]:
        """Options by which another command finds the same API."""
        if self.server is not None:
            return ("--server", self.server)
        if self.lookout is not None:
            return ("--lookout", self.lookout)
        return () if self.context is None else ("--context", self.context)

    def addresses(self, environ: Mapping[str, str]) -> Addresses:
        """What the options name, else the variables, else the context. Raises UsageError and NotFoundError."""
        return next((found for found in self._named(environ) if found.is_any), Addresses())

    def address(self, environ: Mapping[str, str]) -> str | None:
        """The scheduler's address; ``None`` if no option, variable or context names one.

        Raises UsageError, also for a context that has a Lookout only, and NotFoundError.
        """
        for found in self._named(environ):
            if found.server is not None:
                return found.server
            if found.context is not None:
                raise UsageError(_only_lookout(found.context))
        return None

    def _named(self, environ: Mapping[str, str]) -> Iterator[Addresses]:
        """What is named, the more explicit first."""
        yield _checked(self._by_option(environ), self.lookout)
        if self.context is None:
            yield _checked(environ.get(VARIABLE), environ.get(LOOKOUT_VARIABLE))
        from agent.ctl.context.contexts import read_contexts  # noqa: PLC0415 - imports YAML, which no address needs

        contexts = read_contexts(environ)
        name = self.context or contexts.current
        if name is not None:
            context = contexts.named(name)
            yield _checked(context.server, context.lookout, context=name)

    def _by_option(self, environ: Mapping[str, str]) -> str | None:
        if self.settings is None:
            return self.server
        if self.server is not None:
            raise UsageError("--server and --settings both name a scheduler; give one of them")
        from agent.ctl.addresses import api_of  # noqa: PLC0415 - imports settings, which no address needs

        return api_of(self.settings, environ)


def _checked(server: str | None, lookout: str | None, *, context: str | None = None) -> Addresses:
    """Raises UsageError. An empty text is that of a variable that is not set."""
    return Addresses(
        server=check_address(server) if server else None,
        lookout=check_lookout(lookout) if lookout else None,
        context=context,
    )


def _only_lookout(context: str) -> str:
    shown = visible(context)
    fix = f"--server HOST:PORT names one, failctl context set {shown} --server HOST:PORT adds it"
    return f"this asks the scheduler, and the context {shown} has only a Lookout; {fix}"


def user() -> str:
    """The name of the user on this machine, which the API records with changes."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return "unknown"
