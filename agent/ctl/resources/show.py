"""Commands that print resources."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any, Final, TextIO

from agent.api.v1 import resources_pb2 as pb
from agent.client.resources import ResourceClient
from agent.console.columns import Column, heading, line, widened
from agent.console.exits import Exit, UsageError
from agent.console.options import ListForm
from agent.console.terminal import palette, visible
from agent.core.error_table.row import ErrorRule
from agent.core.failure_text.times import age
from agent.core.queue import Queue
from agent.core.retry.policy import RetryPolicy
from agent.ctl.api import api
from agent.ctl.resources.kinds import KINDS, NAMES, NUMBERS, title
from agent.ctl.server import ServerChoice
from agent.documents.checked import read_plain
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind, Value
from agent.manifests.resource.read import load_resource
from agent.manifests.resource.write import as_list
from agent.manifests.retry.armada import API_VERSION as ARMADAS
from agent.wire.error import WireError
from agent.wire.time import read_time

_COLUMNS: Final = ("NAME", "VERSION", "FROM", "CHANGED", "BY")
_OWN: Final = {
    Kind.RETRY_POLICY: ("RULES", "DEFAULT", "LIMIT", "MODE"),
    Kind.QUEUE: ("POLICIES", "PRIORITY"),
    Kind.ERROR_RULE: ("SOURCE", "CODE", "ACTION"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    """Which resources: a kind, or all; names, or all of the kind."""

    kind: Kind | None
    names: Sequence[str] = ()
    output: ListForm = "table"
    where: ServerChoice = field(default_factory=ServerChoice)


def show(request: ShowRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Print resources in the requested form. Raises the errors of ``failctl``."""
    with api(request.where, environ) as client:
        found = _found(client, request)
        if request.output == "yaml":
            out.write(_as_yaml(found, request))
        elif request.output in ("json", "jsonl"):
            _write_json([_document(one) for one in found], request.output, out)
        elif request.output == "name":
            out.writelines(f"{NAMES[KINDS[one.kind]][0]}/{visible(one.name)}\n" for one in found)
        else:
            _write_tables(found, wide=request.output == "wide", now=now, out=out)
            if not found:
                err.write(f"There is no {request.kind.word if request.kind else 'resource'}.\n")
    return Exit.FINE


def describe(request: ShowRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO, err: TextIO) -> Exit:
    """Print everything about resources: who changed them when, what uses them, and their text."""
    del err
    with api(request.where, environ) as client:
        for number, one in enumerate(_found(client, request)):
            out.write("\n" if number else "")
            out.writelines(f"{row}\n" for row in _described(client, one, now=now))
    return Exit.FINE


def _found(client: ResourceClient, request: ShowRequest) -> Sequence[pb.Resource]:
    if request.kind is None:
        if request.names:
            raise UsageError("name the kind, too")
        return _known([one for one in client.list() if one.version])
    number = NUMBERS[request.kind]
    return [client.get(number, name) for name in request.names] if request.names else client.list(number)


def _known(found: Sequence[pb.Resource]) -> Sequence[pb.Resource]:
    """The resources, if all are of kinds that are known here. Raises WireError."""
    for one in found:
        if one.kind not in KINDS:
            raise WireError(f"the kind {one.kind} of {visible(one.name)} is not known")
    return found


def _as_yaml(found: Sequence[pb.Resource], request: ShowRequest) -> str:
    """The texts as they were written; a list of one kind and dialect is one mapping, any other a document each."""
    if len(found) == 1 and request.names:
        return _printable(found[0].text)
    # what a file holds, or nobody wrote, is no input of create -f
    stored = [one.text for one in found if one.version]
    if request.kind is not None and not request.names:
        versions = {_version(text) for text in stored} or {ARMADAS}
        if len(versions) == 1 and (version := versions.pop()) is not None:
            return _printable(as_list(request.kind, stored, version=version))
    texts = [one.text for one in found] if request.names else stored
    return "---\n".join(map(_printable, texts))


def _version(text: str) -> str | None:
    """The ``apiVersion`` that a document writes; ``None`` for one that this failctl cannot read."""
    content, _ = _read(text)
    version = content.get("apiVersion") if isinstance(content, dict) else None
    return version if isinstance(version, str) else None


def _read(text: str) -> tuple[object, str]:
    """What a document says, and why it cannot be read here, such as one that a later version wrote."""
    try:
        return read_plain(text, file=""), ""
    except ManifestError as error:
        first = error.problems[0]
        return None, f"this version cannot read the text: line {first.line}, column {first.column}: {first.message}"


def _printable(text: str) -> str:
    """Each line made harmless for a terminal; documents of ours have nothing that this would change."""
    return "".join(f"{visible(one)}\n" for one in text.splitlines())


def _write_json(documents: Sequence[Mapping[str, Any]], form: ListForm, out: TextIO) -> None:
    if form == "jsonl":
        out.writelines(f"{json.dumps(one)}\n" for one in documents)
    else:
        out.write(f"{json.dumps(documents, indent=2)}\n")


def _document(one: pb.Resource) -> Mapping[str, Any]:
    content, unread = _read(one.text)
    known = {
        "kind": KINDS[one.kind].value,
        "name": one.name,
        "uid": one.uid,
        "version": one.version,
        "createdAt": _at(one, "created_time"),
        "createdBy": one.created_by,
        "changedAt": _at(one, "changed_time"),
        "changedBy": one.changed_by,
        "file": one.file,
        "problem": one.problem or unread,
        "versionInForce": one.version_in_force,
    }
    said = {name: value for name, value in known.items() if value}
    return {**said, "document": content, "text": one.text}


def _at(one: pb.Resource, name: str) -> str:
    return read_time(getattr(one, name)).isoformat() if one.HasField(name) else ""


def _write_tables(found: Sequence[pb.Resource], *, wide: bool, now: datetime, out: TextIO) -> None:
    for number, kind in enumerate(sorted({one.kind for one in found})):
        own = KINDS[kind]
        heads = (_COLUMNS[0], *_OWN[own], *_COLUMNS[1:]) + (("UID",) if wide else ())
        rows = [_row(one, wide=wide, now=now) for one in found if one.kind == kind]
        columns = widened([Column(heading=one) for one in heads], rows)
        out.write("\n" if number else "")
        out.write(f"{palette(out).strong(heading(columns))}\n")
        out.writelines(f"{line(row, columns)}\n" for row in rows)


def _row(one: pb.Resource, *, wide: bool, now: datetime) -> Sequence[str]:
    file = one.file if wide else PurePath(one.file).name
    where = f"file {file}" if one.file else "store" if one.version else "built in"
    if one.problem:
        where = f"{where}, does not compile"
    changed = _ago(one, now) if one.HasField("changed_time") else ""
    own = _own(KINDS[one.kind], _value(one))
    version = str(one.version) if one.version else ""
    return (one.name, *own, version, where, changed, one.changed_by, *([one.uid] if wide else ()))


def _ago(one: pb.Resource, now: datetime) -> str:
    return f"{age(max(now - read_time(one.changed_time), timedelta(0)))} ago"


def _value(one: pb.Resource) -> Value | None:
    try:
        return load_resource(one.text, file=one.name, kind=KINDS[one.kind]).value
    except ManifestError:
        return None


def _own(kind: Kind, value: Value | None) -> tuple[str, ...]:
    """The cells of a kind's own columns."""
    match value:
        case RetryPolicy():
            limit = "" if value.retry_limit is None else str(value.retry_limit)
            default = "Fail" if value.default_action is None else value.default_action.value
            return (str(len(value.rules)), default, limit, value.mode.value)
        case Queue():
            return (", ".join(value.policies) or "(default)", f"{value.priority:g}")
        case ErrorRule():
            return (value.source, str(value.code), value.action)
        case None:
            return ("",) * len(_OWN[kind])


def _described(client: ResourceClient, one: pb.Resource, *, now: datetime) -> Iterator[str]:
    yield title(one.kind, one.name).capitalize()
    if one.file:
        yield f"  from the file {visible(one.file)}, which the API cannot change"
    elif not one.version:
        yield "  built in; nobody has changed it"
    else:
        yield f"  version {one.version}, changed {_ago(one, now)} by {visible(one.changed_by)}"
        created = read_time(one.created_time).astimezone(UTC)
        yield f"  created {created:%Y-%m-%d %H:%M:%S} UTC by {visible(one.created_by)}"
        yield f"  uid {visible(one.uid)}"
    if one.problem:
        instead = f"version {one.version_in_force} is in force" if one.version_in_force else "it is not in force"
        yield f"  does not compile; {instead}:"
        yield from (f"    {visible(row)}" for row in one.problem.splitlines())
    if one.kind == NUMBERS[Kind.RETRY_POLICY]:
        yield f"  queues: {', '.join(_users(client, one.name)) or 'none'}"
    yield ""
    yield from (f"  {visible(row)}" for row in one.text.splitlines())


def _users(client: ResourceClient, policy: str) -> Iterator[str]:
    for one in client.list(NUMBERS[Kind.QUEUE]):
        value = _value(one)
        if isinstance(value, Queue) and policy in value.policies:
            yield visible(one.name)
