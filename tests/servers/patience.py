"""Waiting for what a server does in its own time."""

import time
from collections.abc import Callable
from typing import Final

_SOON_SECONDS: Final = 0.02
_LATE_SECONDS: Final = 0.1
_SHARE: Final = 0.05


def until(met: Callable[[], bool], what: str, *, seconds: float = 100.0) -> None:
    """Look again and again until it is met. Raises TimeoutError, naming ``what``."""
    began = time.monotonic()
    while not met():
        if (waited := time.monotonic() - began) > seconds:
            raise TimeoutError(f"not {what} after {seconds:.0f} s")
        time.sleep(pause(waited))


def pause(waited: float) -> float:
    """Seconds until the next look: few at first, then a share of those waited, as each look costs the server, too."""
    return min(max(waited * _SHARE, _SOON_SECONDS), _LATE_SECONDS)
