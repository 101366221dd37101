"""Commands that print resources."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any, Final, TextIO

from agent.api.v1 import resources_pb2 as pb
from agent.console.columns import Column, heading, line, widened
from agent.console.exits import Exit, UsageError
from agent.console.options import ListForm
from agent.console.terminal import palette, visible
from agent.core.failure_text.times import age
from agent.core.queue import Queue
from agent.ctl.asked import for_resources
from agent.ctl.lookout_resources import ResourceReader, resource_reader
from agent.ctl.resources.kinds import title
from agent.ctl.server import ServerChoice
from agent.documents.checked import read_plain
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import NUMBERS, Kind
from agent.manifests.resource.read import load_resource
from agent.manifests.resource.resource import Value
from agent.manifests.resource.write import as_list
from agent.manifests.retry.armada import API_VERSION as ARMADAS
from agent.wire.error import WireError
from agent.wire.time import read_time

_COLUMNS: Final = ("NAME", "VERSION", "FROM", "CHANGED", "BY")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    """Which resources: a kind, or all; names, or all of the kind."""

    kind: Kind | None
    names: Sequence[str] = ()
    output: ListForm = "table"
    where: ServerChoice = field(default_factory=ServerChoice)


def show(request: ShowRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Print resources in the requested form. Raises the errors of ``failctl``."""
    with resource_reader(for_resources(request.where, environ, err=err)) as client:
        found = _found(client, request)
        if request.output == "yaml":
            out.write(_as_yaml(found, request))
        elif request.output in ("json", "jsonl"):
            _write_json([_document(resource) for resource in found], request.output, out)
        elif request.output == "name":
            out.writelines(f"{NUMBERS[resource.kind].names[0]}/{visible(resource.name)}\n" for resource in found)
        else:
            _write_tables(found, wide=request.output == "wide", now=now, out=out)
            if not found:
                err.write(f"There is no {request.kind.word if request.kind else 'resource'}.\n")
    return Exit.FINE


def describe(request: ShowRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Print everything about resources: who changed them when, what uses them, and their text."""
    with resource_reader(for_resources(request.where, environ, err=err)) as client:
        for number, resource in enumerate(_found(client, request)):
            out.write("\n" if number else "")
            out.writelines(f"{row}\n" for row in _described(client, resource, now=now))
    return Exit.FINE


def _found(client: ResourceReader, request: ShowRequest) -> Sequence[pb.Resource]:
    if request.kind is None:
        if request.names:
            raise UsageError("name the kind, too")
        return _known([resource for resource in client.list() if resource.version])
    number = request.kind.number
    return [client.get(number, name) for name in request.names] if request.names else client.list(number)


def _known(found: Sequence[pb.Resource]) -> Sequence[pb.Resource]:
    """The resources, if all are of kinds that are known here. Raises WireError."""
    for resource in found:
        if resource.kind not in NUMBERS:
            raise WireError(f"the kind {resource.kind} of {visible(resource.name)} is not known")
    return found


def _as_yaml(found: Sequence[pb.Resource], request: ShowRequest) -> str:
    """The texts as they were written: one mapping for a list of one kind and dialect, else a document for each."""
    if len(found) == 1 and request.names:
        return _printable(found[0].text)
    # version 0: from a file or built in, so `create -f` must not get it
    stored = [resource.text for resource in found if resource.version]
    if request.kind is not None and not request.names:
        versions = {_version(text) for text in stored} or {ARMADAS}
        if len(versions) == 1 and (version := versions.pop()) is not None:
            return _printable(as_list(request.kind, stored, version=version))
    texts = [resource.text for resource in found] if request.names else stored
    return "---\n".join(map(_printable, texts))


def _version(text: str) -> str | None:
    """The ``apiVersion`` that a document writes; ``None`` for one that this failctl cannot read."""
    content, _ = _read(text)
    version = content.get("apiVersion") if isinstance(content, dict) else None
    return version if isinstance(version, str) else None


def _read(text: str) -> tuple[object, str]:
    """The content of a document, or the reason why this version of failctl cannot read it."""
    try:
        return read_plain(text, file=""), ""
    except ManifestError as error:
        first = error.problems[0]
        return None, f"this version cannot read the text: line {first.line}, column {first.column}: {first.message}"


def _printable(text: str) -> str:
    """Make each line visible. It changes nothing in a document that the API has checked."""
    return "".join(f"{visible(row)}\n" for row in text.splitlines())


def _write_json(documents: Sequence[Mapping[str, Any]], form: ListForm, out: TextIO) -> None:
    if form == "jsonl":
        out.writelines(f"{json.dumps(document)}\n" for document in documents)
    else:
        out.write(f"{json.dumps(documents, indent=2)}\n")


def _document(resource: pb.Resource) -> Mapping[str, Any]:
    content, unread = _read(resource.text)
    known = {
        "kind": NUMBERS[resource.kind].value,
        "name": resource.name,
        "uid": resource.uid,
        "version": resource.version,
        "createdAt": _at(resource, "created_time"),
        "createdBy": resource.created_by,
        "changedAt": _at(resource, "changed_time"),
        "changedBy": resource.changed_by,
        "file": resource.file,
        "problem": resource.problem or unread,
        "versionInForce": resource.version_in_force,
    }
    said = {name: value for name, value in known.items() if value}
    return {**said, "document": content, "text": resource.text}


def _at(resource: pb.Resource, name: str) -> str:
    return read_time(getattr(resource, name)).isoformat() if resource.HasField(name) else ""


def _write_tables(found: Sequence[pb.Resource], *, wide: bool, now: datetime, out: TextIO) -> None:
    for number, kind in enumerate(sorted({resource.kind for resource in found})):
        own = NUMBERS[kind].reader.columns
        heads = (_COLUMNS[0], *own, *_COLUMNS[1:]) + (("UID",) if wide else ())
        rows = [_row(resource, wide=wide, now=now) for resource in found if resource.kind == kind]
        columns = widened([Column(heading=head) for head in heads], rows)
        out.write("\n" if number else "")
        out.write(f"{palette(out).strong(heading(columns))}\n")
        out.writelines(f"{line(row, columns)}\n" for row in rows)


def _row(resource: pb.Resource, *, wide: bool, now: datetime) -> Sequence[str]:
    file = resource.file if wide else PurePath(resource.file).name
    where = f"file {file}" if resource.file else "store" if resource.version else "built in"
    if resource.problem:
        where = f"{where}, does not compile"
    changed = _ago(resource, now) if resource.HasField("changed_time") else ""
    own = _own(NUMBERS[resource.kind], _value(resource))
    version = str(resource.version) if resource.version else ""
    return (resource.name, *own, version, where, changed, resource.changed_by, *([resource.uid] if wide else ()))


def _ago(resource: pb.Resource, now: datetime) -> str:
    return f"{age(max(now - read_time(resource.changed_time), timedelta(0)))} ago"


def _value(resource: pb.Resource) -> Value | None:
    try:
        return load_resource(resource.text, file=resource.name, kind=NUMBERS[resource.kind]).value
    except ManifestError:
        return None


def _own(kind: Kind, value: Value | None) -> tuple[str, ...]:
    """The cells of a kind's own columns, empty for a text that this version cannot read."""
    return tuple("" if value is None else cell(value) for cell in kind.reader.columns.values())


def _described(client: ResourceReader, resource: pb.Resource, *, now: datetime) -> Iterator[str]:
    yield title(resource.kind, resource.name).capitalize()
    if resource.file:
        yield f"  from the file {visible(resource.file)}, which the API cannot change"
    elif not resource.version:
        yield "  built in; nobody has changed it"
    else:
        yield f"  version {resource.version}, changed {_ago(resource, now)} by {visible(resource.changed_by)}"
        created = read_time(resource.created_time).astimezone(UTC)
        yield f"  created {created:%Y-%m-%d %H:%M:%S} UTC by {visible(resource.created_by)}"
        yield f"  uid {visible(resource.uid)}"
    if resource.problem:
        instead = (
            f"version {resource.version_in_force} is in force" if resource.version_in_force else "it is not in force"
        )
        yield f"  does not compile; {instead}:"
        yield from (f"    {visible(row)}" for row in resource.problem.splitlines())
    if resource.kind == Kind.RETRY_POLICY.number:
        yield f"  queues: {', '.join(_users(client, resource.name)) or 'none'}"
    yield ""
    yield from (f"  {visible(row)}" for row in resource.text.splitlines())


def _users(client: ResourceReader, policy: str) -> Iterator[str]:
    for queue in client.list(Kind.QUEUE.number):
        value = _value(queue)
        if isinstance(value, Queue) and policy in value.policies:
            yield visible(queue.name)
