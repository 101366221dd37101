"""An Indexed Job of Kubernetes' own. There is no kubelet: a test writes how its pods end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from tests.servers.client import Answer, Client
from tests.servers.patience import until
from tests.simulator.api import STRATEGIC, Json

INDEXES: Final = 10
BACKOFF_LIMIT: Final = 4
"""One less than half of the indexes."""

IGNORES_INFRASTRUCTURE: Final[Json] = {
    "action": "Ignore",
    "onPodConditions": [{"type": INFRASTRUCTURE, "status": "True"}],
}
FAILS_OF_HOPELESS: Final[Json] = {
    "action": "FailJob",
    "onPodConditions": [{"type": HOPELESS, "status": "True"}],
}
IGNORES_DISRUPTIONS: Final[Json] = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}

LOST_GPU: Final[Json] = {
    "phase": "Failed",
    "reason": "UnexpectedAdmissionError",
    "message": "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy "
    "devices nvidia.com/gpu, which is unexpected",
}
"""What the kubelet writes of a pod for which there is no GPU: no container, and no DisruptionTarget."""


def _ended(code: int, reason: str, message: str) -> Json:
    container = {
        "name": "main",
        "image": "example",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {"terminated": {"exitCode": code, "reason": reason, "message": message}},
    }
    return {"phase": "Failed", "containerStatuses": [container]}


BROKEN_RUNTIME: Final = _ended(
    128,
    "StartError",
    "failed to create containerd task: failed to create shim task: mkdir "
    "/run/containerd/io.containerd.runtime.v2.task/k8s.io/4711: read-only file system: unknown",
)
BUG: Final = _ended(
    1,
    "Error",
    "Traceback (most recent call last):\n"
    '  File "/app/train.py", line 3, in <module>\n'
    "    los = loss(x)\n"
    "NameError: name 'loss' is not defined",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainJob:
    """A Job in a namespace, once it is created."""

    client: Client
    namespace: str
    name: str = "train"

    def create(self, *rules: Json) -> None:
        """Create it with these rules of its podFailurePolicy, and wait for the pods of all indexes."""
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}}
        spec: Json = {
            "completions": INDEXES,
            "parallelism": INDEXES,
            "completionMode": "Indexed",
            "backoffLimit": BACKOFF_LIMIT,
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": {"rules": list(rules)},
            "template": template,
        }
        path = f"/apis/batch/v1/namespaces/{self.namespace}/jobs"
        self.client.create(path, {"metadata": {"name": self.name}, "spec": spec})
        self.until_runs(range(INDEXES))

    def live(self) -> Mapping[int, Json]:
        """The pods that have not ended, by index."""
        found = self.client.get(self.pods, labelSelector=f"batch.kubernetes.io/job-name={self.name}")["items"]
        return {_index(pod): pod for pod in found if pod["status"].get("phase") not in {"Failed", "Succeeded"}}

    def until_runs(self, indexes: Iterable[int], *, but: Iterable[str] = ()) -> Mapping[int, Json]:
        """The pods of these indexes, once each has one that has not ended and is none of ``but`` (names)."""
        wanted, former = set(indexes), set(but)

        def new() -> Mapping[int, Json]:
            return {at: pod for at, pod in self.live().items() if pod["metadata"]["name"] not in former}

        until(lambda: wanted <= new().keys(), f"a pod of each index of {sorted(wanted)}", seconds=60)
        return new()

    def fail(self, ends: Mapping[int, Json]) -> Mapping[int, Json]:
        """Write of the live pods of these indexes, all at once, how they ended; the pods as the server answers."""
        live = self.live()
        names = {at: live[at]["metadata"]["name"] for at in ends}

        def write(at: int) -> Json:
            answer = self.write(names[at], {"status": ends[at]})
            assert answer.status == 200, answer.body
            return answer.json()

        with ThreadPoolExecutor(len(ends)) as kubelets:
            return dict(zip(ends, kubelets.map(write, ends), strict=True))

    def write(self, pod: str, body: Json) -> Answer:
        """Write a status as a kubelet does."""
        return self.client.ask("PATCH", f"{self.pods}/{pod}/status", body=body, content_type=STRATEGIC)

    def status(self) -> Json:
        """The status of the Job."""
        path = f"/apis/batch/v1/namespaces/{self.namespace}/jobs/{self.name}"
        return dict(self.client.get(path).get("status", {}))

    def why_failed(self) -> str | None:
        """The reason for which the Job failed, if it has."""
        conditions: Sequence[Json] = self.status().get("conditions", ())
        return next((str(found["reason"]) for found in conditions if found["type"] == "Failed"), None)

    def until_failed(self) -> str:
        """Wait until the Job has failed; why."""
        until(lambda: self.why_failed() is not None, "the Job failed", seconds=60)
        return self.why_failed() or ""

    @property
    def pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"


def first_half(end: Callable[[int], Json]) -> dict[int, Json]:
    """How the pods of the first half of the indexes end."""
    return {index: end(index) for index in range(INDEXES // 2)}


def of_infrastructure(index: int) -> Json:
    """One of two ends that Kubernetes does not mark."""
    return LOST_GPU if index % 2 else BROKEN_RUNTIME


def ours(pod: Json) -> list[str]:
    """The types of our conditions that a pod has."""
    conditions = pod["status"].get("conditions") or ()
    return [found["type"] for found in conditions if found["type"].startswith("failure-agent.dev/")]


def _index(pod: Json) -> int:
    return int(pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])
