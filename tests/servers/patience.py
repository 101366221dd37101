"""Waiting for what a server does in its own time."""

import time
from collections.abc import Callable
from typing import Final

_POLL_SECONDS: Final = 0.02


def until(met: Callable[[], bool], what: str, *, seconds: float = 100.0) -> None:
    """Look again and again until it is met. Raises TimeoutError, naming ``what``."""
    deadline = time.monotonic() + seconds
    while not met():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not {what} after {seconds:.0f} s")
        time.sleep(_POLL_SECONDS)
