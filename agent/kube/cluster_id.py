"""The identity of the cluster: the uid of its namespace ``kube-system``."""

import msgspec

from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer
from agent.kube.connection import Connection
from agent.kube.objects import MetadataOnly

_NAMESPACE = Reader(MetadataOnly)


class NoClusterId(Exception):
    """The answer for the namespace ``kube-system`` has no uid: this is no Kubernetes API server."""


async def cluster_id(connection: Connection) -> str:
    """The cluster's identity. Raises NoClusterId, ApiError and Unreachable.

    It is part of the id of every event, so it must never be the same for two clusters, nor change. A name from settings
    could do both; this uid exists as long as the cluster's etcd.
    """
    body = await connection.get("/api/v1/namespaces/kube-system")
    try:
        uid = read_answer(_NAMESPACE, body).metadata.uid
    except msgspec.DecodeError as error:
        raise NoClusterId(f"the answer for the namespace kube-system is not a namespace: {error}") from error
    if not uid:
        raise NoClusterId("the namespace kube-system has no uid")
    return uid
