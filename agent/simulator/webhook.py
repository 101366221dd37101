"""A mutating webhook of the platform: it adds to a new pod what the script says that the pod is to play."""

from collections.abc import Callable, Mapping

from agent.simulator.assignment import named_script
from agent.simulator.kinds import PODS, Json, Kind
from agent.simulator.patch import strategic_merge
from agent.simulator.script import Script

Webhook = Callable[[Kind, Json], Json]
"""An object as it is created instead of the one that a client sent."""


def webhook_of(scripts: Mapping[str, Script]) -> Webhook:
    """What the webhook of a cluster does whose pods play these scripts."""

    def mutate(kind: Kind, body: Json) -> Json:
        if kind is not PODS or not isinstance(body.get("spec"), dict):
            return body
        found = named_script({"metadata": {}, **body}, scripts)
        return with_injected(body, found) if isinstance(found, Script) and found.injected else body

    return mutate


def with_injected(pod: Json, script: Script) -> Json:
    """The pod with what is added to it; containers are added behind its own."""
    merged = strategic_merge(pod, script.injected)
    own = {container.get("name") for container in pod["spec"].get("containers") or ()}
    containers = sorted(merged["spec"].get("containers") or (), key=lambda container: container.get("name") not in own)
    return {**merged, "spec": {**merged["spec"], "containers": containers}}
