"""The MutatingWebhookConfiguration that tests install."""

from typing import Final

from tests.simulator.api import Json

CONFIGURATION: Final[Json] = {
    "metadata": {"name": "failure-agent"},
    "webhooks": [
        {
            "name": "failures.failure-agent.dev",
            "rules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["UPDATE"],
                    "resources": ["pods/status"],
                    "scope": "Namespaced",
                }
            ],
            "objectSelector": {"matchExpressions": [{"key": "batch.kubernetes.io/job-name", "operator": "Exists"}]},
            "matchConditions": [
                {
                    "name": "fails",
                    "expression": "has(object.status) && has(object.status.phase) && object.status.phase == 'Failed' "
                    "&& !(has(oldObject.status) && has(oldObject.status.phase) && oldObject.status.phase == 'Failed')",
                }
            ],
            "failurePolicy": "Ignore",
            "timeoutSeconds": 1,
            "sideEffects": "None",
            "reinvocationPolicy": "Never",
            "admissionReviewVersions": ["v1"],
        }
    ],
}


def named(name: str) -> Json:
    """The configuration under another name, because all namespaces of a control plane share them."""
    return {**CONFIGURATION, "metadata": {"name": name}}
