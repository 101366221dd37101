"""Our finalizer, as it is written on pods."""

from typing import Final

FINALIZER: Final = "failure-agent.dev/reported"
"""Keeps a finished pod on the API server until its failure is safe elsewhere."""

HOLD_LABEL: Final = "failure-agent.dev/hold"
"""``true`` asks for the finalizer."""
