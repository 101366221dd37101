"""The pod of a run, made from the create of the scheduler; or why it must not be made. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from agent.bounds import OutOfBoundsError
from agent.core.identity import labels
from agent.core.run_command import CreateRun, RunCommand
from agent.core.run_event import CreationFailed
from agent.core.submission.forbidden import ARMADAS, Forbidden, forbidden, forbidden_account
from agent.json_reader.reader import read_value
from agent.kube.finalizer import FINALIZER

Json = dict[str, Any]

UNREADABLE: Final = "Unreadable"
FORBIDDEN: Final = "Forbidden"
NAMESPACE: Final = "NamespaceNotServed"
_NEVER: Final = "Never"
_CONTAINERS: Final = ("initContainers", "containers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What the settings of this agent allow, whatever the scheduler asks for."""

    namespaces: Collection[str]
    service_accounts: Collection[str]


def pod_of(command: RunCommand, create: CreateRun, *, allowed: Allowed) -> Json | CreationFailed:
    """The object to create, behind our gate and with our finalizer; or why there is to be none."""
    try:
        given = _given(create.pod)
    except (msgspec.DecodeError, UnicodeDecodeError, OutOfBoundsError, TypeError) as error:
        return CreationFailed(reason=UNREADABLE, message=f"the pod of the job cannot be read: {error}")
    if create.namespace not in allowed.namespaces:
        message = f"the agent creates no pods in namespace {create.namespace}; its settings name it in run.namespaces"
        return CreationFailed(reason=NAMESPACE, message=message)
    of_spec = [replace(problem, at=("spec", *problem.at)) for problem in _problems(given["spec"], allowed)]
    problems = [*of_spec, *_foreign(given["metadata"].get("labels") or {})]
    if problems:
        return CreationFailed(reason=FORBIDDEN, message="; ".join(map(_describe, problems)))
    return _made(command, create, given)


def _given(pod: bytes) -> Json:
    """Its spec and metadata, in which what is added to has the right type. Raises TypeError, too."""
    given = read_value(pod)
    if not isinstance(given, dict) or not isinstance(given.get("spec"), dict):
        raise TypeError("it is no object with a spec")
    spec, metadata = given["spec"], given.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise TypeError("its metadata is no object")
    for name in ("labels", "annotations"):
        if not isinstance(metadata.get(name) or {}, dict):
            raise TypeError(f"its {name} are no object")
    for name in (*_CONTAINERS, "schedulingGates"):
        if not isinstance(spec.get(name) or [], list):
            raise TypeError(f"its {name} are no list")
    return {"metadata": metadata, "spec": spec}


def _problems(spec: Mapping[str, Any], allowed: Allowed) -> Iterator[Forbidden]:
    yield from forbidden(spec)
    yield from forbidden_account(spec, allowed=allowed.service_accounts)
    policy = spec.get("restartPolicy", _NEVER)
    if policy != _NEVER:
        message = f"restartPolicy {policy}: a run that is started again is another run"
        yield Forbidden(at=("restartPolicy",), message=message, hint="leave it out")


def _foreign(submitted: Mapping[str, Any]) -> Iterator[Forbidden]:
    for name in submitted:
        if name.startswith(ARMADAS):
            message = f"the label {name} is Armada's, whose executor cancels pods that it does not know"
            yield Forbidden(at=("metadata", "labels", name), message=message, hint="leave it out")


def _describe(problem: Forbidden) -> str:
    return f"{'.'.join(map(str, problem.at))}: {problem.message}; {problem.hint}"


def _made(command: RunCommand, create: CreateRun, given: Json) -> Json:
    metadata, spec = given["metadata"], given["spec"]
    ours = {
        labels.JOB: command.job_id,
        labels.RUN: command.run_id,
        labels.RUN_INDEX: str(create.index),
        labels.QUEUE: create.queue,
    }
    notes = {labels.JOB_SET: create.job_set, labels.CONTAINERS: ",".join(_container_names(spec))}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": create.pod_name,
            "namespace": create.namespace,
            "labels": {**(metadata.get("labels") or {}), **ours},
            "annotations": {**(metadata.get("annotations") or {}), **notes},
            "finalizers": [FINALIZER],
        },
        "spec": {
            **spec,
            "restartPolicy": _NEVER,
            "schedulingGates": [{"name": labels.START_GATE}, *(spec.get("schedulingGates") or ())],
        },
    }


def _container_names(spec: Mapping[str, Any]) -> Iterator[str]:
    for field in _CONTAINERS:
        for container in spec.get(field) or ():
            if isinstance(container, dict) and isinstance(container.get("name"), str):
                yield container["name"]
