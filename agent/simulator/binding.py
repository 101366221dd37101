"""The binding of a pod to a node, as a scheduler asks for it (Kubernetes: registry/core/pod/storage, BindingREST)."""

from datetime import datetime

from agent.simulator.gates import gates_of
from agent.simulator.kinds import PODS, Json
from agent.simulator.pod_status import Moment, bound
from agent.simulator.status import StatusError, namesake


def check_binding(pod: Json, binding: Json) -> None:
    """Raises StatusError (409) for a pod that is not to be bound."""
    meta, name = pod["metadata"], pod["metadata"]["name"]
    wanted = (binding.get("metadata") or {}).get("uid") or meta["uid"]
    node = pod["spec"].get("nodeName")
    if wanted != meta["uid"]:
        raise namesake(PODS, (meta["namespace"], name), wanted=wanted, known=meta["uid"])
    if meta.get("deletionTimestamp"):
        raise _refused(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if node:
        raise _refused(name, f'pod {name} is already assigned to node "{node}"')
    if gates_of(pod):
        raise _refused(name, f"pod {name} has non-empty .spec.schedulingGates")


def bound_to(pod: Json, node: str, *, now: datetime) -> Json:
    """The pod on this node."""
    return bound(pod, node, Moment(now=now, fill=lambda text: text))


def _refused(name: str, why: str) -> StatusError:
    message = f'Operation cannot be fulfilled on {PODS.plural}/binding "{name}": {why}'
    return StatusError(409, "Conflict", message, details={"name": name, "kind": f"{PODS.plural}/binding"})
