"""How ``deploy/admission.yaml`` has the webhook, which is asked about the right writes only if it is installed so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Json = Mapping[str, Any]

CONFIGURATION: Final = "failure-agent"
WEBHOOK: Final = "failures.failure-agent.dev"
NAMESPACE: Final = "failure-agent"
SERVICE: Final = "failure-agent-webhook"
"""Also the name of the Secret."""

RESOURCE: Final = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"

MATCH_CONDITIONS: Final = (
    {
        "name": "fails",
        "expression": "has(object.status) && has(object.status.phase) && object.status.phase == 'Failed' && "
        "!(has(oldObject.status) && has(oldObject.status.phase) && oldObject.status.phase == 'Failed')",
    },
)
RULES: Final = (
    {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["UPDATE"],
        "resources": ["pods/status"],
        "scope": "Namespaced",
    },
)
OBJECT_SELECTOR: Final = {"matchExpressions": [{"key": "batch.kubernetes.io/job-name", "operator": "Exists"}]}

APPLY: Final = "kubectl apply --server-side -f deploy/admission.yaml"


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that is not as it should be, and what to do."""

    words: str
    fix: str = APPLY


def webhook_of(configuration: Json) -> Json | None:
    """Our webhook; ``None`` if the configuration has none of its name."""
    webhooks: Sequence[Json] = configuration.get("webhooks") or ()
    return next((webhook for webhook in webhooks if webhook.get("name") == WEBHOOK), None)


def differences(webhook: Json) -> Iterator[Difference]:
    """Where our webhook is not as it should be; ``clientConfig`` is for others to check."""
    yield from _conditions(webhook)
    for field, wanted in (
        ("rules", list(RULES)),
        ("objectSelector", OBJECT_SELECTOR),
        ("failurePolicy", "Ignore"),
        ("timeoutSeconds", 1),
        ("reinvocationPolicy", "Never"),
        ("sideEffects", "None"),
        ("admissionReviewVersions", ["v1"]),
    ):
        if webhook.get(field) != wanted:
            yield Difference(f"{field} is not as in deploy/admission.yaml: {webhook.get(field)}")
    if not webhook.get("namespaceSelector"):
        yield Difference("namespaceSelector is missing: pods of the control plane's own namespaces are sent as well")


def _conditions(webhook: Json) -> Iterator[Difference]:
    given = webhook.get("matchConditions")
    if not given:
        words = "matchConditions is missing: every write of a status of every pod of a Job is sent"
        yield Difference(words, f"{APPLY}; if it stays away, the API server drops it: upgrade to Kubernetes 1.30")
    elif list(given) != list(MATCH_CONDITIONS):
        yield Difference("matchConditions is not as in deploy/admission.yaml")
