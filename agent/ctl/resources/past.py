"""Commands for earlier versions of resources: list them, go back to one, compare them."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TextIO

from agent.api.v1 import resources_pb2 as pb
from agent.console.columns import Column, heading, line, widened
from agent.console.exits import Exit, NotFoundError, UsageError
from agent.console.inputs import inputs
from agent.console.terminal import palette, visible
from agent.ctl.api import api
from agent.ctl.asked import for_resources
from agent.ctl.lookout_resources import ResourceReader, resource_reader
from agent.ctl.resources.change import report
from agent.ctl.resources.kinds import title
from agent.ctl.server import ServerChoice
from agent.documents.problem import ManifestError
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import read_resources
from agent.wire.time import read_time

_HEADS: Final = ("VERSION", "CHANGE", "WHEN", "BY", "NOTE")
_CHANGES: Final = {
    pb.CHANGE_CREATED: "created",
    pb.CHANGE_UPDATED: "updated",
    pb.CHANGE_ROLLED_BACK: "rolled back",
    pb.CHANGE_DETACHED: "detached",
    pb.CHANGE_DELETED: "deleted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRequest:
    """A resource, and versions of it: to go back to, or to compare."""

    kind: Kind
    name: str
    versions: Sequence[int] = ()
    dry_run: bool = False
    where: ServerChoice = field(default_factory=ServerChoice)


def history(request: PastRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """List the versions, the latest first. Raises the errors of ``failctl``."""
    with resource_reader(for_resources(request.where, environ, err=err)) as client:
        found = client.versions(request.kind.number, request.name)
        rows = [
            (
                str(version.version),
                _CHANGES.get(version.change, "?"),
                f"{read_time(version.time):%Y-%m-%d %H:%M:%S}",
                version.by,
                version.note,
            )
            for version in found
        ]
    columns = widened([Column(heading=head) for head in _HEADS], rows)
    out.write(f"{palette(out).strong(heading(columns))}\n")
    out.writelines(f"{line(row, columns)}\n" for row in rows)
    return Exit.FINE


def roll_back(request: PastRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Make an earlier version the current one. Raises the errors of ``failctl``."""
    (version,) = request.versions or (0,)
    with api(request.where, environ) as client:
        done = client.roll_back(request.kind.number, request.name, version=version, dry_run=request.dry_run)
    report(done, dry_run=request.dry_run, out=out, err=err)
    return Exit.FINE


def diff_versions(request: PastRequest, *, environ: Mapping[str, str], out: TextIO, err: TextIO) -> Exit:
    """Print how two versions differ; one alone is compared with the current text, none with the one before it."""
    if len(request.versions) > 2:  # noqa: PLR2004 - two sides
        raise UsageError("a difference has two sides: give at most two versions")
    with resource_reader(for_resources(request.where, environ, err=err)) as client:
        kind = request.kind.number
        texts = {version.version: version.text for version in client.versions(kind, request.name)}
    latest = max(texts)
    wanted = request.versions or (max(latest - 1, 1),)
    before, after = (*wanted, latest)[:2]
    missing = next((version for version in (before, after) if version not in texts), None)
    if missing is not None:
        known = ", ".join(map(str, sorted(texts)))
        raise NotFoundError(f"{title(kind, request.name)} has no version {missing}; there are: {known}")
    sides = (f"{request.name} version {before}", f"{request.name} version {after}")
    return _print(texts[before], texts[after], sides, out)


def diff_files(
    files: Sequence[str], where: ServerChoice, *, environ: Mapping[str, str], out: TextIO, err: TextIO
) -> Exit:
    """Print how files differ from what the API has. Exits with 1 if they do, as ``diff``."""
    answer = Exit.FINE
    with resource_reader(for_resources(where, environ, err=err)) as client:
        for file in inputs(files):
            try:
                found = read_resources(file.text(), file=file.name).value_or_raise()
            except ManifestError as error:
                raise UsageError(str(error)) from error
            for resource in found:
                sides = (f"{resource.name} in the API", f"{resource.name} in {file.name}")
                if _print(_current(client, resource.kind, resource.name), resource.text, sides, out) is Exit.FINDING:
                    answer = Exit.FINDING
    return answer


def _current(client: ResourceReader, kind: Kind, name: str) -> str:
    return next((resource.text for resource in client.list(kind.number) if resource.name == name), "")


def _print(before: str, after: str, sides: tuple[str, str], out: TextIO) -> Exit:
    rows = list(_lines(before, after, sides))
    out.writelines(f"{visible(row)}\n" for row in rows)
    return Exit.FINDING if rows else Exit.FINE


def _lines(before: str, after: str, sides: tuple[str, str]) -> Iterator[str]:
    return difflib.unified_diff(before.splitlines(), after.splitlines(), *sides, lineterm="")
