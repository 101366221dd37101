"""What a command asks, as its options name it: an API server, a store, or the API of the scheduler or of a Lookout.

Only names: ``cluster_connection``, ``store_reading``, ``api`` and ``lookout_api`` connect, and take longer to import.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.console.exits import UsageError
from agent.console.terminal import visible

_ADDRESS: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5}")
_LOOKOUT: Final = re.compile(r"(https?://(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?)/?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServerAddress:
    """Which API server; without kubeconfig and url, the user's own kubeconfig."""

    kubeconfig: Path | None = None
    context: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddress:
    """Which store: as given, else as the scheduler's settings or the environment say, else the demo's."""

    url: str | None = None
    settings: Path | None = None

    @property
    def is_given(self) -> bool:
        """Whether an option names it."""
        return self.url is not None or self.settings is not None

    @property
    def option(self) -> str:
        """The option that names it."""
        return "--store" if self.url is not None else "--settings"

    def options(self) -> tuple[str, ...]:
        """Options by which another command finds the same store. An address with a password is not repeated."""
        url = () if self.url is None or _has_password(self.url) else ("--store", self.url)
        return url if self.settings is None else (*url, "--settings", str(self.settings))


def _has_password(url: str) -> bool:
    from agent.store.engine import parse  # noqa: PLC0415 - imports sqlalchemy, which is there where a store is read

    return parse(url).password is not None


def check_address(address: str) -> str:
    """The address of the scheduler's API as it is. Raises UsageError unless it is ``host:port``."""
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"{visible(address)} is no address of an API; write host:port, such as 127.0.0.1:8083")
    return address


def check_lookout(url: str) -> str:
    """The URL of a Lookout without a slash at its end. Raises UsageError unless it is ``http://host:port``."""
    found = _LOOKOUT.fullmatch(url)
    if found is None:
        raise UsageError(f"{visible(url)} is no address of a Lookout; write it as http://127.0.0.1:8085")
    return found[1]
