"""How a cluster's API server is reached."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from agent.settings.base import Settings, Url


class KubeSettings(Settings):
    """At most one of ``kubeconfig``, ``url`` and ``inCluster``; none of them means the user's own kubeconfig."""

    kubeconfig: Path | None = Field(default=None, description="A kubeconfig file.")
    context: str | None = Field(
        default=None, description="The context of the kubeconfig; its current one if not given."
    )
    url: Url | None = Field(default=None, description="An API server that needs no credentials, as the simulator.")
    in_cluster: bool = Field(default=False, description="Use the ServiceAccount of the pod the process runs in.")

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        ways = (self.kubeconfig is not None, self.url is not None, self.in_cluster)
        if sum(ways) > 1:
            raise ValueError("give only one of kubeconfig, url and inCluster")
        if self.context is not None and (self.url is not None or self.in_cluster):
            raise ValueError("context needs a kubeconfig: remove context, or url and inCluster")
        return self
