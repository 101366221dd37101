"""A validating webhook of a real API server that denies every pod of a namespace, and says why."""

import asyncio
import base64
import ssl
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec
from aiohttp import web

from tests.contract.witness import Witness
from tests.servers.authority import Authority
from tests.simulator.api import Json, pod

NAME: Final = "deny.example.dev"
_CONFIGURATIONS: Final = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
_PROBES: Final = 100
_PROBE_SECONDS: Final = 0.1


@asynccontextmanager
async def denying(server: Witness, namespace: str, why: str) -> AsyncIterator[None]:
    """Pods of this namespace are denied as long as the context lasts. ``server`` must be allowed everything."""
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(Path(folder))
        async with _webhook(authority, why) as url:
            configuration = _configuration(namespace, url, authority.certificate.read_bytes())
            await server.create(_CONFIGURATIONS, configuration)
            try:
                await _until_denied(server, namespace)
                yield
            finally:
                await server.delete(f"{_CONFIGURATIONS}/{namespace}")


@asynccontextmanager
async def _webhook(authority: Authority, why: str) -> AsyncIterator[str]:
    async def deny(request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read())
        answer = {"uid": asked["request"]["uid"], "allowed": False, "status": {"message": why}}
        return web.json_response({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer})

    app = web.Application()
    app.router.add_post("/", deny)
    issued = authority.issue("webhook")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(issued.certificate, issued.key)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        yield f"https://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


def _configuration(namespace: str, url: str, authority: bytes) -> Json:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    webhook = {
        "name": NAME,
        "rules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "clientConfig": {"url": url, "caBundle": base64.b64encode(authority).decode()},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
    }
    return {"metadata": {"name": namespace}, "webhooks": [webhook]}


async def _until_denied(server: Witness, namespace: str) -> None:
    """Try until the API server has noticed its new webhook."""
    for _ in range(_PROBES):
        path = f"/api/v1/namespaces/{namespace}/pods"
        tried = await server.ask("POST", path, body=pod("probe"), dryRun="All")
        if tried.status >= 400:
            return
        await asyncio.sleep(_PROBE_SECONDS)
    raise AssertionError("no pod was denied")
