"""Which API server a command asks. What asks it is ``agent.ctl.cluster_connection``, with all that takes to import."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServerAddress:
    """Which API server; without kubeconfig and url, the user's own kubeconfig."""

    kubeconfig: Path | None = None
    context: str | None = None
    url: str | None = None
