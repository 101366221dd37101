"""A server that tests can have: how it is told from others, and how it is made."""

from pathlib import Path
from typing import Protocol

from tests.servers.progress import Progress


class CannotPrepareError(Exception):
    """A server cannot be made here. The text says why, and what to do about it."""


class Server(Protocol):
    """A kind of server."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def cost(self) -> str:
        """What making it costs, in words."""

    def key(self) -> str:
        """What tells this server from one made of other sources or by other tools. Raises CannotPrepareError."""

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        """Fill the folder, with ``jobs`` compilations at a time. Raises CannotPrepareError."""
