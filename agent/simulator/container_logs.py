"""What containers wrote, and how the kubelet's log endpoint serves it (kubelet: pkg/kubelet/kuberuntime/logs)."""

from collections.abc import Mapping

from agent.simulator.kinds import Json
from agent.simulator.status import bad_request

LogKey = tuple[str, str, bool]
"""Pod uid, container, and whether it is the log of the instance before this one."""


class ContainerLogs:
    def __init__(self) -> None:
        self._texts: dict[LogKey, str] = {}

    def append(self, uid: str, container: str, text: str) -> None:
        key = (uid, container, False)
        self._texts[key] = self._texts.get(key, "") + text

    def rotate(self, uid: str, container: str) -> None:
        """A container restarts: its log becomes the previous one."""
        self._texts[uid, container, True] = self._texts.pop((uid, container, False), "")

    def forget(self, uid: str) -> None:
        for key in [key for key in self._texts if key[0] == uid]:
            del self._texts[key]

    def read(self, pod: Json, query: Mapping[str, str]) -> bytes:
        """The log that the query asks for. Raises StatusError (400) as the server does."""
        container = _container(pod, query.get("container", ""))
        previous = query.get("previous", "false") == "true"
        _check_started(pod, container, previous=previous)
        text = self._texts.get((pod["metadata"]["uid"], container, previous), "")
        if (lines := query.get("tailLines")) is not None:
            kept = text.splitlines(keepends=True)
            text = "".join(kept[len(kept) - min(int(lines), len(kept)) :])
        limit = query.get("limitBytes")
        return text.encode() if limit is None else text.encode()[: int(limit)]


def _container(pod: Json, asked: str) -> str:
    spec = pod["spec"]
    names = [container["name"] for container in (*spec["containers"], *(spec.get("initContainers") or ()))]
    name = pod["metadata"]["name"]
    if asked in names:
        return asked
    if asked:
        raise bad_request(f"container {asked} is not valid for pod {name}")
    if len(names) > 1:
        raise bad_request(f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]")
    return str(names[0])


def _check_started(pod: Json, container: str, *, previous: bool) -> None:
    name = pod["metadata"]["name"]
    status = pod.get("status") or {}
    statuses = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    found: Json = next((container_status for container_status in statuses if container_status["name"] == container), {})
    if previous and not (found.get("lastState") or {}).get("terminated"):
        raise bad_request(f'previous terminated container "{container}" in pod "{name}" not found')
    state = found.get("state") or {}
    if not previous and not ({"running", "terminated"} & state.keys()):
        reason = (state.get("waiting") or {}).get("reason", "ContainerCreating")
        raise bad_request(f'container "{container}" in pod "{name}" is waiting to start: {reason}')
