"""``failctl admission check``: reads the installed webhook back, and says what is wrong with it."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, TextIO
from urllib.parse import urlsplit

from agent.console.columns import Column, line, widened
from agent.console.exits import Exit
from agent.console.options import Form
from agent.console.terminal import visible
from agent.ctl.admission.configuration import APPLY, CONFIGURATION, WEBHOOK, Difference, Json, differences, webhook_of
from agent.ctl.admission.installed import (
    bundle_of,
    configuration_path,
    decoded,
    of_service,
    read,
    secret_path,
    slices_path,
)
from agent.ctl.admission.trust import faults
from agent.ctl.cluster_connection import with_connection
from agent.ctl.destination import ApiServerAddress
from agent.kube.connection import Connection, Params
from agent.kube.errors import Forbidden

_OLDEST: Final = (1, 30)
"""The first version of Kubernetes in which matchConditions are stable."""

_PATH: Final = "/conditions"


class Step(StrEnum):
    VERSION = "version"
    WEBHOOK = "webhook"
    SERVICE = "service"
    CERTIFICATE = "certificate"


class State(StrEnum):
    """How a step went. Unknown: it could not be checked."""

    FINE = "fine"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one step. The fields are those of the JSON output."""

    step: Step
    state: State
    words: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionCheckRequest:
    """The Service that the webhook is reached by, whose Secret has the same name, and the API server."""

    namespace: str
    service: str
    where: ApiServerAddress = field(default_factory=ApiServerAddress)
    output: Form = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What the API server has. ``secret`` and ``slices``, of the Service, are a text if they may not be read: why."""

    version: Json
    configuration: Json | None
    secret: Json | str | None
    slices: Json | str | None


def run(request: AdmissionCheckRequest, *, now: datetime, out: TextIO) -> Exit:
    """Report each step; exits with code 1 where something is wrong. Raises UsageError and UnreachableError."""

    async def ask(connection: Connection) -> Installed:
        return Installed(
            version=await read(connection, "/version") or {},
            configuration=await read(connection, configuration_path()),
            secret=await _allowed(connection, secret_path(request.namespace, request.service)),
            slices=await _allowed(connection, slices_path(request.namespace), of_service(request.service)),
        )

    installed = with_connection(request.where, ask, gives="webhook to check")
    found = tuple(findings(installed, request, now=now))
    if request.output == "json":
        out.write(json.dumps([asdict(finding) for finding in found], indent=2) + "\n")
    else:
        out.writelines(f"{text}\n" for text in _table(found))
    return Exit.FINDING if any(finding.state is State.WRONG for finding in found) else Exit.FINE


async def _allowed(connection: Connection, path: str, params: Params | None = None) -> Json | str | None:
    try:
        return await read(connection, path, params)
    except Forbidden as error:
        return error.message


def findings(installed: Installed, request: AdmissionCheckRequest, *, now: datetime) -> Iterator[Finding]:
    yield from _of(Step.VERSION, _version(installed.version), fine=str(installed.version.get("gitVersion")))
    webhook = webhook_of(installed.configuration) if installed.configuration is not None else None
    if webhook is None:
        what = f"there is no MutatingWebhookConfiguration {CONFIGURATION} with the webhook {WEBHOOK}"
        yield Finding(step=Step.WEBHOOK, state=State.WRONG, words=what, fix=APPLY)
        return
    wrong = (*differences(webhook), *_client(webhook, request))
    yield from _of(Step.WEBHOOK, wrong, fine=f"{WEBHOOK}: once for each pod of a Job that fails")
    if not _url(webhook):
        yield _service(installed.slices, request)
    yield from _certificate(webhook, installed.secret, request, now=now)


def _version(version: Json) -> Iterator[Difference]:
    numbers = [re.match(r"\d+", str(version.get(part))) for part in ("major", "minor")]
    given = tuple([int(number[0]) for number in numbers if number is not None])
    if given < _OLDEST:
        words = f"the API server is {version.get('gitVersion')}: before 1.30 it drops matchConditions or ignores them"
        yield Difference(words, "upgrade to Kubernetes 1.30 or later, or remove the webhook")


def _client(webhook: Json, request: AdmissionCheckRequest) -> Iterator[Difference]:
    """Where the API server does not ask the Service; an address outside the cluster is its owner's affair."""
    client = webhook.get("clientConfig") or {}
    if _url(webhook):
        return
    wanted = {"namespace": request.namespace, "name": request.service, "path": _PATH, "port": 443}
    if client.get("service") != wanted:
        words = f"clientConfig.service is {client.get('service')}, not {wanted}"
        yield Difference(words, f"{APPLY}, or give --service and --namespace")


def _url(webhook: Json) -> str:
    """The address of a webhook outside the cluster; empty if it is a Service."""
    return str((webhook.get("clientConfig") or {}).get("url") or "")


def _service(slices: Json | str | None, request: AdmissionCheckRequest) -> Finding:
    """Whether the Service leads to anybody; not whether a NetworkPolicy lets the API server through."""
    name = f"the Service {request.namespace}/{request.service}"
    if isinstance(slices, str):
        fix = f"let somebody check who may list the EndpointSlices of {name}"
        return Finding(step=Step.SERVICE, state=State.UNKNOWN, words=f"not checked: {slices}", fix=fix)
    if ready := sum(_ready((slices or {}).get("items") or ())):
        return Finding(step=Step.SERVICE, state=State.FINE, words=f"{name} has {ready} ready endpoints")
    fix = "set admission in the settings of the agent, and see why its pods are not ready"
    return Finding(step=Step.SERVICE, state=State.WRONG, words=f"{name} has no ready endpoint: nobody answers", fix=fix)


def _ready(slices: Sequence[Json]) -> Iterator[bool]:
    """For each endpoint with a port, whether it is ready; one that does not say so is."""
    for endpoints in slices:
        if endpoints.get("ports"):
            for endpoint in endpoints.get("endpoints") or ():
                yield (endpoint.get("conditions") or {}).get("ready") is not False


def _certificate(
    webhook: Json, secret: Json | str | None, request: AdmissionCheckRequest, *, now: datetime
) -> Iterator[Finding]:
    name = f"the Secret {request.namespace}/{request.service}"
    if isinstance(secret, str):
        fix = f"let somebody check who may read {name}"
        yield Finding(step=Step.CERTIFICATE, state=State.UNKNOWN, words=f"not checked: {secret}", fix=fix)
        return
    if secret is None:
        fix = "failctl admission certificate | kubectl apply --server-side --field-manager=failctl -f -"
        yield Finding(step=Step.CERTIFICATE, state=State.WRONG, words=f"there is no {name[4:]}", fix=fix)
        return
    chain = decoded((secret.get("data") or {}).get("tls.crt"))
    host = urlsplit(_url(webhook)).hostname or f"{request.service}.{request.namespace}.svc"
    wrong = tuple(faults(chain, bundle_of(webhook), host=host, now=now))
    yield from _of(Step.CERTIFICATE, wrong, fine=f"{name} is trusted as {host}")


def _of(step: Step, wrong: Sequence[Difference] | Iterator[Difference], *, fine: str) -> Iterator[Finding]:
    found = [Finding(step=step, state=State.WRONG, words=difference.words, fix=difference.fix) for difference in wrong]
    yield from found or [Finding(step=step, state=State.FINE, words=fine)]


def _table(found: Sequence[Finding]) -> Iterator[str]:
    shown = (*widened((Column(),), [(finding.step,) for finding in found]), Column(width=7), Column())
    for finding in found:
        yield line((finding.step, finding.state, visible(finding.words)), shown)
        if finding.fix:
            yield line(("", "", f"to fix it: {visible(finding.fix)}"), shown)
