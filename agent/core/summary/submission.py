"""Submission: which containers of a pod its user submitted, and how that is known.

A container added later, by a webhook or by hand, is not the user's (armadaproject/armada#4713, "Did user code run").
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from agent.core.evidence import ContainerKind

KNOWN_INJECTED: Final = frozenset(
    {
        "consul-dataplane",
        "daprd",
        "gke-gcsfuse-sidecar",
        "istio-init",
        "istio-proxy",
        "istio-validation",
        "kuma-sidecar",
        "linkerd-init",
        "linkerd-network-validator",
        "linkerd-proxy",
        "otc-container",
        "queue-proxy",
        "vault-agent",
        "vault-agent-init",
    }
)
"""Names that webhooks and operators give to the containers that they add.

Consul, Dapr, Cloud Storage FUSE of GKE, Istio, Kuma, Linkerd, OpenTelemetry's operator, Knative, Vault.
"""

_EPHEMERAL = ContainerKind.EPHEMERAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """``submitted`` names the user's containers, or is ``None`` if they are not known.

    ``injected`` are shell patterns of names that are never the user's; they are used only if
    ``submitted`` is ``None``. So are the names in ``KNOWN_INJECTED``. ``reason`` says how this is known, or why not.
    """

    submitted: frozenset[str] | None = None
    injected: tuple[str, ...] = ()
    reason: str = "nothing says which containers were submitted"

    def is_injected(self, name: str, kind: ContainerKind) -> bool | None:
        """Whether a container was added after submission; ``None`` if not known."""
        if kind is _EPHEMERAL:
            return True
        if self.submitted is not None:
            return name not in self.submitted
        if name in KNOWN_INJECTED:
            return True
        if self.injected:
            return any(fnmatchcase(name, pattern) for pattern in self.injected)
        return None


UNKNOWN = Submission()
"""Neither the pod nor the settings specify it."""
