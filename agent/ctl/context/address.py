"""How the address of an API is written."""

import re
from typing import Final

from agent.console.exits import UsageError
from agent.console.terminal import visible

_ADDRESS: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5}")


def check_address(address: str) -> str:
    """The address as it is. Raises UsageError unless it is ``host:port``."""
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"{visible(address)} is no address of an API; write host:port, such as 127.0.0.1:8083")
    return address
