"""Kubernetes' feature gates, as arguments. All are on in current releases."""

from dataclasses import dataclass, fields

_NAMES = {
    "JobBackoffLimitPerIndex": "backoff_limit_per_index",
    "JobPodReplacementPolicy": "pod_replacement_policy",
    "JobManagedBy": "managed_by",
    "JobSuccessPolicy": "success_policy",
    "SidecarContainers": "sidecar_containers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """Which features of the Job controller are on (KEP-3850, 3939, 4368, 3998, 753)."""

    backoff_limit_per_index: bool = True
    pod_replacement_policy: bool = True
    managed_by: bool = True
    success_policy: bool = True
    sidecar_containers: bool = True

    @property
    def delays_terminal_condition(self) -> bool:
        """Whether Failed and Complete wait for terminating pods: an interim condition comes first."""
        return self.managed_by or self.pod_replacement_policy


ALL_ON = Gates()

KNOWN = frozenset(_NAMES)
"""The names of the known gates."""


def gates_of(named: dict[str, bool]) -> Gates:
    """Return the gates with these set, by Kubernetes' names. Raises KeyError for an unknown name."""
    set_to = {_NAMES[name]: on for name, on in named.items()}
    return Gates(**{field.name: set_to.get(field.name, True) for field in fields(Gates)})
