"""Coverage: which nodes the elected process watches for others. Pure; times are its own monotonic seconds.

Times of other machines are never compared with ours: a lease counts as renewed when this process sees it change.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from agent.kube.lease import Record


@dataclass(slots=True, kw_only=True)
class Heard:
    """When each node's lease was last seen to change, and in which version it was then."""

    versions: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)

    def note(self, leases: Mapping[str, Record], *, now: float) -> None:
        """Record the current leases, by node. A lease seen for the first time does not say when it was renewed."""
        for node, lease in leases.items():
            known = self.versions.get(node)
            if known is not None and known != lease.version:
                self.times[node] = now
            self.versions[node] = lease.version
        for node in self.versions.keys() - leases.keys():
            del self.versions[node]
            self.times.pop(node, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """What the leader knows about nodes.

    ``ready``: of each node there is, whether it is Ready. ``lost``: nodes that are gone and may have left pods behind.
    ``since``: when it was elected; before that it read no leases.
    """

    ready: Mapping[str, bool]
    heard: Mapping[str, float]
    lost: Collection[str]
    since: float


def to_cover(view: ClusterView, *, own: str, silence: float, now: float) -> tuple[str, ...]:
    """Nodes that are lost or not Ready, and those whose lease did not change for ``silence`` seconds.

    The longest unchanged first, so that a limit leaves out those whose process was active last.
    """
    last = {node: max(view.heard.get(node, view.since), view.since) for node in view.ready}
    bad = {node for node, ready in view.ready.items() if not ready or now - last[node] >= silence}
    wanted = (bad | set(view.lost)) - {own}
    return tuple(sorted(wanted, key=lambda node: (last.get(node, view.since), node)))
