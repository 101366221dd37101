"""Whether the API server keeps scheduling gates: one that drops them would start pods that nobody accepted.

Kubernetes has them since 1.26 (KEP-3521). It is found out by creating a pod that is not stored.
"""

from collections.abc import Sequence
from typing import Final

from agent.core.identity.labels import START_GATE
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Unreachable
from agent.kube.gated_pods import GatedPods, has_gate

_QUANTITIES: Final = {"cpu": "1m", "memory": "1Mi"}
_PROBE: Final = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "failure-agent-probe-"},
    "spec": {
        "restartPolicy": "Never",
        "schedulingGates": [{"name": START_GATE}],
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "main",
                "image": "failure-agent.dev/probe",
                "resources": {"requests": _QUANTITIES, "limits": _QUANTITIES},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            }
        ],
    },
}
"""A pod that quotas and the strictest Pod Security Standard allow."""


class NoGates(Exception):
    """The API server drops scheduling gates, so no runs can be taken."""


class GateProbe:
    """Asks until it is known. ``why_unknown`` is ``None`` as soon as the API server has kept a gate."""

    def __init__(self, pods: GatedPods, namespaces: Sequence[str]) -> None:
        self.why_unknown: str | None = "not asked yet whether the API server keeps scheduling gates"
        self._pods = pods
        self._namespaces = namespaces

    async def probe(self) -> None:
        """Ask in one namespace after the other, until one answers. Raises NoGates."""
        for namespace in self._namespaces:
            if self.why_unknown is not None:
                await self._probe(namespace)

    async def _probe(self, namespace: str) -> None:
        try:
            tried = await self._pods.try_to_create(namespace, _PROBE)
        except (ApiError, Unreachable, Unreadable) as error:
            self.why_unknown = f"not known yet whether the API server keeps scheduling gates: {error}"
            return
        if not has_gate(tried, START_GATE):
            raise NoGates(
                f"the API server drops scheduling gates of new pods in namespace {namespace}, so it cannot take runs "
                "(run.maxRuns): Kubernetes has them since 1.26; also check admission webhooks that change pods"
            )
        self.why_unknown = None
