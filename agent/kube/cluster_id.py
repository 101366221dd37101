"""Which cluster this is."""

import msgspec

from agent.kube.connection import Connection
from agent.kube.objects import Namespace

_NAMESPACE = msgspec.json.Decoder(Namespace)


class NoIdentity(Exception):
    """The namespace ``kube-system`` has no uid: this is no Kubernetes API server."""


async def cluster_id(connection: Connection) -> str:
    """The uid of the namespace ``kube-system``, which is the cluster's identity (design 4.1). Raises NoIdentity."""
    body = await connection.get("/api/v1/namespaces/kube-system")
    try:
        uid = _NAMESPACE.decode(body).metadata.uid
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NoIdentity(f"not a namespace: {error}") from error
    if not uid:
        raise NoIdentity("the namespace kube-system has no uid")
    return uid
