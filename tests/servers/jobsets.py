"""JobSets that say all that JobSet's webhooks would fill in, because tests run its controller without them."""

from collections.abc import Sequence
from typing import Final

from tests.simulator.api import Json

WORKERS: Final = 2


def jobset(name: str, *, pod_failure_rules: Sequence[Json], failure_policy: Json) -> Json:
    """A JobSet with one Job of two workers, whose pods are not run again by the Job."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}}
    job = {
        "completions": WORKERS,
        "parallelism": WORKERS,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "podFailurePolicy": {"rules": list(pod_failure_rules)},
        "template": template,
    }
    spec = {
        "replicatedJobs": [{"name": "workers", "groupName": "default", "replicas": 1, "template": {"spec": job}}],
        "successPolicy": {"operator": "All"},
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "failurePolicy": {"restartStrategy": "Recreate", **failure_policy},
    }
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name},
        "spec": spec,
    }


def restarts(made: Json) -> tuple[int, int]:
    """How often it was restarted, and how many of these count towards maxRestarts."""
    status = made.get("status", {})
    return status.get("restarts", 0), status.get("restartsCountTowardsMax", 0)
