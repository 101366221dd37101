"""Our finalizer, and the label that asks for it."""

from typing import Final

FINALIZER: Final = "failure-agent.dev/reported"
"""Keeps a finished pod on the API server until its failure is reported: until then the pod is the second copy."""

HOLD_LABEL: Final = "failure-agent.dev/hold"
"""The value ``true`` asks the agent to add the finalizer."""
