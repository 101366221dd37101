"""Heartbeat: a cluster's agent is alive, and these are the nodes of its cluster."""

from datetime import datetime

from msgspec import Struct


class NodeShape(Struct, frozen=True, gc=False, kw_only=True):
    """A kind of node and how many there are. ``allocatable`` pairs resources with Kubernetes quantities, sorted."""

    allocatable: tuple[tuple[str, str], ...] = ()
    ready: int = 0
    total: int = 0


class RunOffer(Struct, frozen=True, gc=False, kw_only=True):
    """Which runs a cluster takes: in these namespaces, at most ``max_runs`` open ones."""

    namespaces: tuple[str, ...]
    max_runs: int


class Heartbeat(Struct, frozen=True, gc=False, kw_only=True):
    """One heartbeat; the latest per cluster counts.

    ``epoch`` numbers the holder of the cluster's lease, ``incarnation`` the running process. Sequence numbers
    are those of the spool ``spool_id``; 0 where there was none yet. ``sent_at`` is for people only. ``runs`` is
    ``None`` if the cluster takes no runs.
    """

    cluster_id: str
    cluster: str
    epoch: int
    incarnation: str
    spool_id: str
    last_spooled: int
    last_acknowledged: int
    node_shapes: tuple[NodeShape, ...] = ()
    sent_at: datetime | None = None
    runs: RunOffer | None = None
