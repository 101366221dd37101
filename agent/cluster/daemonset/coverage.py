"""Coverage: which nodes the elected process watches for others. Pure; times are its own monotonic seconds."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from agent.kube.lease import Record


@dataclass(slots=True, kw_only=True)
class Heard:
    """When each node's process was last heard of: when its lease was last seen to change."""

    versions: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)

    def note(self, leases: Mapping[str, Record], *, now: float) -> None:
        """The leases as they are now, by node. The first sight of a lease says nothing of when it was renewed."""
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
    """What the elected process knows.

    ``ready``: of each node there is, whether it is Ready. ``lost``: nodes that are gone and may have left pods behind.
    ``since``: when it was elected; before that nobody was listened to.
    """

    ready: Mapping[str, bool]
    heard: Mapping[str, float]
    lost: Collection[str]
    since: float


def to_cover(view: ClusterView, *, own: str, silence: float, now: float) -> tuple[str, ...]:
    """Nodes that are lost or not Ready, and those whose process was not heard of for ``silence`` seconds.

    The longest silent first, so that what goes over a limit is what was heard of last.
    """
    last = {node: max(view.heard.get(node, view.since), view.since) for node in view.ready}
    bad = {node for node, ready in view.ready.items() if not ready or now - last[node] >= silence}
    wanted = (bad | set(view.lost)) - {own}
    return tuple(sorted(wanted, key=lambda node: (last.get(node, view.since), node)))
