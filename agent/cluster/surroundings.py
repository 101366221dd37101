"""What is in memory around a pod: events and nodes, and whether either may be had (design 4.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.cluster.case import Case
from agent.cluster.nodes import Nodes
from agent.cluster.recent_events import RecentEvents
from agent.core.evidence import Evidence, MissingEvidence
from agent.core.submission import Submission
from agent.kube import objects
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission

Available = Callable[[], str | None]
"""Why something cannot be had; ``None`` where it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Gives the evidence of a case out of memory; asks nobody. ``injected`` are patterns of container names."""

    events: RecentEvents
    nodes: Nodes
    injected: Sequence[str]
    no_events: Available
    no_nodes: Available

    def gather(self, case: Case) -> Evidence:
        """All that is known now, and what is missing."""
        node_name = case.entry.reference.node or case.pod.spec.nodeName or ""
        node = self.nodes.get(node_name) if node_name else None
        return read_evidence(
            case.pod,
            occurrence=case.occurred.occurrence,
            container=case.occurred.container,
            events=self.events.about_pod(case.pod_uid),
            node=node,
            node_log=[event.message or "" for event in self.events.about_node(node_name)] if node_name else (),
            log_tails=case.log_tails,
            missing=(*case.missing, *self._missing(node_name, node)),
            submitted=self.submitted(case.pod),
        )

    def submitted(self, pod: objects.Pod) -> Submission:
        """Which of the pod's containers are its user's."""
        return submission(pod, injected=self.injected)

    def _missing(self, node_name: str, node: objects.Node | None) -> list[MissingEvidence]:
        missing = []
        if (reason := self.no_events()) is not None:
            missing.append(MissingEvidence(what="events", reason=reason))
        if node_name and node is None:
            missing.append(MissingEvidence(what="node", reason=self.no_nodes() or f"node {node_name} is not known"))
        return missing
