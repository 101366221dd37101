"""What the pod of a job may not ask for: it would reach the node, or take what is ours.

It is asked twice: before a job is accepted, and by the agent, by its own settings, before it creates the pod. There
the spec comes from the broker, so nothing is taken for granted about the types in it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

OURS: Final = "failure-agent.dev/"
"""The prefix of our labels, annotations and gates."""

ARMADAS: Final = "armada_"
"""The prefix of Armada's labels. Its executor cancels pods that have them and that it does not know."""

DEFAULT_ACCOUNT: Final = "default"
"""The ServiceAccount of a pod that names none."""

_HOST: Final = ("hostNetwork", "hostPID", "hostIPC")
_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")
_ACCOUNTS: Final = ("serviceAccountName", "serviceAccount")

Step = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Something that a pod may not ask for: where in its spec, why, and how to fix it."""

    at: tuple[Step, ...]
    message: str
    hint: str


def forbidden(spec: Mapping[str, Any]) -> Iterator[Forbidden]:
    """Yield all that no pod may ask for."""
    yield from _of_node(spec)
    for number, gate in _items(spec.get("schedulingGates")):
        if str(gate.get("name", "")).startswith(OURS):
            yield _no(("schedulingGates", number), "a scheduling gate of ours may not be submitted")
    for number, volume in _items(spec.get("volumes")):
        if volume.get("hostPath") is not None:
            yield _no(("volumes", number, "hostPath"), "volumes of the node's files are not allowed")
    for field in _CONTAINERS:
        for number, container in _items(spec.get(field)):
            yield from _of_security(container, at=(field, number))


def forbidden_account(spec: Mapping[str, Any], *, allowed: Collection[str]) -> Iterator[Forbidden]:
    """Yield the ServiceAccount that the pod names, unless it is allowed; the default one always is."""
    known = {DEFAULT_ACCOUNT, *allowed}
    for field in _ACCOUNTS:
        account = spec.get(field)
        if account and account not in known:
            message = f"the ServiceAccount {account} is not allowed"
            yield Forbidden(at=(field,), message=message, hint=f"allowed: {', '.join(sorted(known))}")


def _of_node(spec: Mapping[str, Any]) -> Iterator[Forbidden]:
    if spec.get("nodeName"):
        message = "a pod that names its node would start before it is accepted"
        yield Forbidden(at=("nodeName",), message=message, hint="use nodeSelector or affinity")
    for field in _HOST:
        if spec.get(field):
            yield _no((field,), "the namespaces of the node are not allowed")
    yield from _of_security(spec, at=())


def _of_security(holder: Mapping[str, Any], *, at: tuple[Step, ...]) -> Iterator[Forbidden]:
    """Yield what the ``securityContext`` of a pod or of a container may not have."""
    context = _mapping(holder.get("securityContext"))
    if context.get("privileged"):
        yield _no((*at, "securityContext", "privileged"), "privileged containers are not allowed")
    if _mapping(context.get("windowsOptions")).get("hostProcess"):
        yield _no((*at, "securityContext", "windowsOptions", "hostProcess"), "host processes are not allowed")


def _no(at: tuple[Step, ...], message: str) -> Forbidden:
    return Forbidden(at=at, message=message, hint="leave it out")


def _items(value: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if isinstance(value, list):
        yield from ((number, _mapping(item)) for number, item in enumerate(value))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
