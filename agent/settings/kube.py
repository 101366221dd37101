"""How a cluster's API server is reached."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from agent.settings.base import Conflict, Settings, Url


class KubeSettings(Settings):
    """At most one of ``kubeconfig``, ``url`` and ``inCluster``; none of them means the user's own kubeconfig."""

    kubeconfig: Path | None = Field(
        default=None,
        description="Path of a kubeconfig file. Give at most one of kubeconfig, url and inCluster; with none of them "
        "the process uses your own kubeconfig.",
    )
    context: str | None = Field(
        default=None, description="Context of the kubeconfig. null: its current context. Not with url or inCluster."
    )
    url: Url | None = Field(
        default=None, description="Address of an API server that needs no credentials, such as the simulator."
    )
    in_cluster: bool = Field(default=False, description="Use the ServiceAccount of the pod that the process runs in.")

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        ways = (self.kubeconfig is not None, self.url is not None, self.in_cluster)
        if sum(ways) > 1:
            raise Conflict("give only one of kubeconfig, url and inCluster", "kubeconfig", "url", "inCluster")
        if self.context is not None and (self.url is not None or self.in_cluster):
            message = "context needs a kubeconfig; remove context, or url and inCluster"
            raise Conflict(message, "context", "url", "inCluster")
        return self
