"""Commands that change resources: documents are checked here first, then sent."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TextIO

from agent.api.v1 import resources_pb2 as pb
from agent.client.resources import ResourceClient
from agent.console.exits import Exit, UsageError
from agent.console.inputs import inputs
from agent.console.terminal import visible
from agent.core.units import counted
from agent.ctl.api import api
from agent.ctl.resources.kinds import title
from agent.ctl.server import ServerChoice
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import read_resources
from agent.manifests.resource.resource import Resource
from agent.manifests.resource.write import queue_with

_PLACE: Final = re.compile(r"^\d+:\d+: ")

Verb = Literal["create", "apply", "update"]

_DONE: Final = {
    pb.CHANGE_CREATED: ("Created", "create"),
    pb.CHANGE_UPDATED: ("Updated", "update"),
    pb.CHANGE_ROLLED_BACK: ("Rolled back", "roll back"),
    pb.CHANGE_DELETED: ("Deleted", "delete"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PutRequest:
    """What to send: files, or a queue by its name and fields. ``only`` is the kind that files must have, if named."""

    verb: Verb
    files: Sequence[str] = ()
    only: Kind | None = None
    queue: str | None = None
    fields: Mapping[str, object] = field(default_factory=dict)
    version: int = 0
    replace: bool = False
    dry_run: bool = False
    where: ServerChoice = field(default_factory=ServerChoice)


def put(request: PutRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Create, apply or update. Raises the errors of ``failctl``."""
    if request.queue is not None and request.files:
        raise UsageError("give either a name with options, or -f FILE")
    if request.queue is None and not request.files:
        raise UsageError(f"what should be {_past(request.verb)}? -f FILE names documents")
    documents = [] if request.queue is not None else list(_checked(request))
    with api(request.where, environ) as client:
        texts = [document.resource.text for document in documents]
        changed = _send(client, request, "---\n".join(texts) if request.queue is None else _queue(client, request))
    named = {(document.resource.kind.number, document.resource.name): document for document in documents}
    for change in changed:
        report(change, named.get((change.kind, change.name)), dry_run=request.dry_run, out=out, err=err)
    return Exit.FINE


def _past(verb: Verb) -> str:
    return {"create": "created", "apply": "applied", "update": "updated"}[verb]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A resource, and the file that it is from."""

    resource: Resource
    file: str


def _checked(request: PutRequest) -> Iterator[Sent]:
    """Every document of the files. Raises UsageError with every problem of all files at once."""
    problems: list[str] = []
    files: dict[tuple[Kind, str], str] = {}
    for file in inputs(request.files):
        found = read_resources(file.text(), file=file.name, only=request.only)
        try:
            resources = found.value_or_raise()
        except ManifestError as error:
            problems.append(str(error))
            continue
        for resource in resources:
            first = files.setdefault((resource.kind, resource.name), file.name)
            if first != file.name:
                problems.append(f"{file.name}: {resource.kind.word} {visible(resource.name)} is in {first}, too")
            yield Sent(resource=resource, file=file.name)
    if problems:
        raise UsageError("\n".join(problems))


def _queue(client: ResourceClient, request: PutRequest) -> str:
    """The text of a queue that is given by options; an update keeps what they do not name."""
    name = request.queue or ""
    before = client.get(Kind.QUEUE.number, name).text if request.verb == "update" else ""
    text = queue_with(name, request.fields, before=before)
    try:
        read_resources(text, file="options", only=Kind.QUEUE).value_or_raise()
    except ManifestError as error:
        raise UsageError(str(error)) from error
    return text


def _send(client: ResourceClient, request: PutRequest, text: str) -> Sequence[pb.ChangedResource]:
    if request.verb == "create":
        return client.create(text, replace=request.replace, dry_run=request.dry_run)
    if request.verb == "update":
        return client.update(text, version=request.version, dry_run=request.dry_run)
    return client.apply(text, dry_run=request.dry_run)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteRequest:
    """What to delete."""

    kind: Kind
    names: Sequence[str]
    version: int = 0
    detach: bool = False
    allow_missing: bool = False
    dry_run: bool = False
    where: ServerChoice = field(default_factory=ServerChoice)


def delete(request: DeleteRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Delete each; the first refusal ends it. Raises the errors of ``failctl``."""
    if request.version and len(request.names) > 1:
        raise UsageError("--version belongs to one name")
    with api(request.where, environ) as client:
        for name in request.names:
            changed = client.delete(
                request.kind.number,
                name,
                version=request.version,
                detach=request.detach,
                allow_missing=request.allow_missing,
                dry_run=request.dry_run,
            )
            report(changed, dry_run=request.dry_run, out=out, err=err)
    return Exit.FINE


def report(changed: pb.ChangedResource, sent: Sent | None = None, *, dry_run: bool, out: TextIO, err: TextIO) -> None:
    """Say what was done to one resource, or would be. Warnings come first, on ``err``; those of a file name it."""
    named = title(changed.kind, changed.name)
    err.writelines(f"{visible(text)}\n" for text in _warnings(changed, sent, named))
    err.flush()
    if changed.change == pb.CHANGE_UNSPECIFIED:
        out.write(f"{named} is unchanged\n" if changed.version else f"There is no {named}\n")
    else:
        done, would = _DONE[changed.change]
        out.write(f"Would {would} {named}\n" if dry_run else f"{done} {named}{_version(changed)}\n")
    if changed.detached:
        queues, names = counted(len(changed.detached), "queue"), ", ".join(map(visible, changed.detached))
        out.write(f"{'Would detach' if dry_run else 'Detached'} it from {queues}: {names}\n")
    if dry_run and changed.change != pb.CHANGE_UNSPECIFIED:
        out.writelines(_effects(changed))


def _warnings(changed: pb.ChangedResource, sent: Sent | None, named: str) -> Iterator[str]:
    """The warnings of the API, with the file; it places them in the documents that it was sent, which are many files'.

    Those that are about the text were found here, too, and have the places in the file.
    """
    if sent is None:
        yield from (f"warning: {named}: {warning}" for warning in changed.warnings)
        return
    findings = {finding.message: finding for finding in sent.resource.findings}
    for warning in changed.warnings:
        message = _PLACE.sub("", warning)
        found = findings.get(message)
        place = sent.file if found is None else f"{sent.file}:{found.line}:{found.column}"
        yield f"warning: {place}: {named}: {message}"


def _version(changed: pb.ChangedResource) -> str:
    return "" if changed.change == pb.CHANGE_DELETED else f" (version {changed.version})"


def _effects(changed: pb.ChangedResource) -> Iterator[str]:
    jobs, again = changed.active_jobs, changed.restarted_counts
    if changed.kind == Kind.QUEUE.number:
        yield f"  its jobs that wait for a retry: {jobs:,}\n"
    elif changed.kind == Kind.RETRY_POLICY.number:
        yield f"  waiting jobs with retries counted under it: {jobs:,}; counts that start again: {again:,}\n"


def run(call: Callable[..., Exit], request: Any, environ: Mapping[str, str]) -> Exit:  # noqa: ANN401 - any request
    """Run one of the commands of this module with the streams of the terminal."""
    return call(request, environ=environ, out=sys.stdout, err=sys.stderr)
