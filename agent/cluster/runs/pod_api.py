"""The requests about pods of runs."""

from dataclasses import dataclass
from typing import Self

from agent.kube.connection import Connection
from agent.kube.gated_pods import GatedPods
from agent.kube.pods import PodReader, PodWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class PodApi:
    """Creates, reads and deletes pods. Every request names a uid, or creates a pod that waits."""

    pods: GatedPods
    reader: PodReader
    writer: PodWriter

    @classmethod
    def of(cls, connection: Connection) -> Self:
        return cls(pods=GatedPods(connection), reader=PodReader(connection), writer=PodWriter(connection))
