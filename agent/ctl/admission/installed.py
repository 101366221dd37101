"""What is installed of the webhook on an API server, as it was kept there."""

import base64
import binascii
from typing import Any
from urllib.parse import quote

from agent.console.exits import NotFoundError
from agent.ctl.admission.configuration import CONFIGURATION, RESOURCE, WEBHOOK, Json, webhook_of
from agent.ctl.cluster_connection import with_connection
from agent.ctl.destination import ApiServerAddress
from agent.json_reader.reader import read_value
from agent.kube.connection import Connection, Params
from agent.kube.errors import ApiError

_NOT_FOUND = 404


async def read(connection: Connection, path: str, params: Params | None = None) -> Json | None:
    """An object or a list as plain JSON; ``None`` if there is none. Raises ApiError and Unreachable."""
    try:
        found: Any = read_value(await connection.get(path, params))
    except ApiError as error:
        if error.status == _NOT_FOUND:
            return None
        raise
    return found if isinstance(found, dict) else {}


def secret_path(namespace: str, name: str) -> str:
    return f"/api/v1/namespaces/{quote(namespace, safe='')}/secrets/{quote(name, safe='')}"


def slices_path(namespace: str) -> str:
    return f"/apis/discovery.k8s.io/v1/namespaces/{quote(namespace, safe='')}/endpointslices"


def of_service(service: str) -> Params:
    """The parameters that select the EndpointSlices of a Service."""
    return {"labelSelector": f"kubernetes.io/service-name={service}"}


def configuration_path() -> str:
    return f"{RESOURCE}/{CONFIGURATION}"


def bundle_of(webhook: Json) -> bytes:
    """The certificates that the API server trusts, in PEM; empty if there are none."""
    return decoded((webhook.get("clientConfig") or {}).get("caBundle"))


def decoded(text: object) -> bytes:
    """A value of a Secret, or a caBundle; empty if it is no base64."""
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except binascii.Error:
        return b""


def installed_bundle(where: ApiServerAddress) -> bytes:
    """What the API server trusts now. Raises UsageError, UnreachableError and NotFoundError."""

    async def ask(connection: Connection) -> Json | None:
        return await read(connection, configuration_path())

    configuration = with_connection(where, ask, gives="MutatingWebhookConfiguration")
    webhook = webhook_of(configuration) if configuration is not None else None
    if webhook is None:
        what = f"there is no MutatingWebhookConfiguration {CONFIGURATION} with the webhook {WEBHOOK}"
        raise NotFoundError(f"{what}: apply deploy/admission.yaml, or leave --renew out")
    return bundle_of(webhook)
