"""What an API server sends to the webhook, and what it makes of the response."""

import base64
import json
from typing import Any

from agent.simulator.patch import apply_json_patch

Json = dict[str, Any]
RUNNING: Json = {"phase": "Running"}
FAILED: Json = {"phase": "Failed"}
UID = "705ab4f5-6393-11e8-b7cc-42010a800002"


def pod(status: Json, **metadata: object) -> Json:
    return {"metadata": {"name": "pod-0", "namespace": "ml", "uid": "u1", **metadata}, "spec": {}, "status": status}


def request(**more: object) -> Json:
    """Return the request about a pod that fails; ``more`` overrides its fields."""
    return {
        "uid": UID,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "subResource": "status",
        "name": "pod-0",
        "namespace": "ml",
        "operation": "UPDATE",
        "userInfo": {"username": "system:node:n1"},
        "object": pod(FAILED),
        "oldObject": pod(RUNNING),
        "dryRun": False,
        "options": {"kind": "UpdateOptions"},
        **more,
    }


def body(**more: object) -> bytes:
    return json.dumps(
        {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request(**more)}
    ).encode()


def applied(written: Json, answer: bytes) -> Json:
    """Return the object that the API server stores: what was written, with the patch of a response."""
    said = json.loads(answer)["response"]
    if "patch" not in said:
        return written
    assert said["patchType"] == "JSONPatch"
    patched: Json = apply_json_patch(written, json.loads(base64.b64decode(said["patch"])))
    return patched
