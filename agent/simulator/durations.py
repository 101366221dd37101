"""Durations as people write them in scripts and workloads."""

import re
from typing import Final

Seconds = float

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


def seconds(text: str) -> Seconds:
    """Read ``500ms``, ``2s``, ``1.5m`` or ``1h``. Raises ValueError."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no duration: write a number and ms, s, m or h, as 500ms or 2s")
    return float(match[1]) * _UNITS[match[2]]
