"""The audit log of an API server: every status that was written to a pod, and whether a webhook was asked about it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.simulator.api import Json

_LOG: Final = "audit.log"
_POLICY: Final = "audit-policy.yaml"
_RULES: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "verbs": ["update", "patch"], "resources": [{"group": "", "resources": ["pods/status"]}]},
        {"level": "None"},
    ],
}
_ASKED: Final = "mutation.webhook.admission.k8s.io/"
_FAILED_OPEN: Final = "failed-open.mutation.webhook.admission.k8s.io/"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusWrite:
    """A status that somebody wrote; ``asked`` is how many mutating webhooks the API server asked first."""

    pod: str
    code: int
    asked: int
    changed: int
    failed_open: int


def audited(folder: Path) -> tuple[str, ...]:
    """Flags of kube-apiserver that keep the log in this folder, each line on disk before the request is answered."""
    (folder / _POLICY).write_text(json.dumps(_RULES), encoding="utf-8")
    return (
        f"--audit-policy-file={folder / _POLICY}",
        f"--audit-log-path={folder / _LOG}",
        "--audit-log-mode=blocking",
    )


def status_writes(folder: Path, namespace: str) -> list[StatusWrite]:
    """The statuses written in a namespace, from the first on."""
    lines = (folder / _LOG).read_text(encoding="utf-8").splitlines()
    entries: list[Json] = [json.loads(line) for line in lines]
    return [_write(entry) for entry in entries if entry["objectRef"]["namespace"] == namespace]


def _write(entry: Json) -> StatusWrite:
    notes = entry.get("annotations", {})
    asked = [json.loads(value) for key, value in notes.items() if key.startswith(_ASKED)]
    return StatusWrite(
        pod=entry["objectRef"]["name"],
        code=entry["responseStatus"]["code"],
        asked=len(asked),
        changed=sum(answer["mutated"] for answer in asked),
        failed_open=sum(key.startswith(_FAILED_OPEN) for key in notes),
    )
